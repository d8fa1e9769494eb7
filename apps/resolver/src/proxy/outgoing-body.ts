import { BODY_FAULT } from '../http1';
import type { BodyFraming } from '../http1';
import type { Link } from './link';
import { ReplayableBody } from './replayable-body';

/**
 * The body of a request on its way to a pod: where it ends, and what of it could be sent once more.
 *
 * Bytes pass as they are. What was sent is kept only for as long as a repeat is thinkable.
 */
export class OutgoingBody {
  /** The last byte was taken. */
  isOver = false;
  private readonly replay = new ReplayableBody();

  constructor(
    private readonly framing: BodyFraming,
    private readonly repeats: 'repeatable' | 'only unfinished',
  ) {}

  /** Whether all that was sent could be sent again. */
  get isReplayable(): boolean {
    return this.replay.isWhole;
  }

  get isUnsent(): boolean {
    return this.replay.sent.length === 0 && !this.isOver;
  }

  /** The index just past the bytes that belong to the body, or `BODY_FAULT`. */
  take(bytes: Buffer, start: number, end: number, lasting: 'lasting' | 'shared'): number {
    const over = this.framing.take(bytes, start, end);
    if (over === BODY_FAULT) return BODY_FAULT;
    this.isOver = over >= 0;
    const to = this.isOver ? over : end;
    this.replay.keep(bytes, start, to, lasting);
    return to;
  }

  /** The pod may have all that was taken so far. */
  onGiven(): void {
    if (this.isOver && this.repeats === 'only unfinished') this.replay.lose();
  }

  sendAgain(link: Link): void {
    for (const piece of this.replay.sent) link.writeBytes(piece, 0, piece.length);
  }

  /** The pod answers: nothing is repeated any more. */
  onAnswer(): void {
    this.replay.lose();
  }

  /** Whether what is left, which begins with `bytes`, surely takes no more than this. */
  isWithin(limitBytes: number, bytes: Buffer): boolean {
    return !this.isOver && this.framing.isWithin(limitBytes, bytes);
  }
}
