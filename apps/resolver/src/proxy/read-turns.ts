import type { Clock } from '@elasti/operator-kit';

/** So long may one turn of the event loop be busy with what was read. */
const TURN_MS = 10;
/** Between two looks at the clock. Fewer than this take no time that counts, so a turn with few reads costs nothing here. */
const READS_BETWEEN_LOOKS = 4;
/** A turn with so many looks has at least twice as many reads as there are between two: one alone may have been due since earlier turns. */
const CROWDED_LOOKS = 2;

/** Something that was read and waits for its turn. */
export interface LateRead {
  onTurn(): void;
}

/**
 * Spreads a crowd over many turns of the event loop.
 *
 * libuv hands over the first bytes of thousands of connections in one turn, in which no timer runs and no probe is answered. Beyond a
 * few milliseconds the rest comes in the next turns, in the order in which it was read, and before anything newer that waits. Nothing is kept of
 * what has had its turn.
 */
export class ReadTurns {
  /** Whether the last turn that was looked at had many reads. */
  isCrowded = false;
  private reads = 0;
  private looks = 0;
  private turn: 'not timed' | 'timed' | 'spent' = 'not timed';
  private beganAtMs = 0;
  private late: LateRead[] = [];

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    /** What was read before has its answers here; those go out before more is read. */
    private readonly writes: { flush(): void },
  ) {}

  /** Whether there is time for one more in this turn; whoever gets `false` comes back by `wait`. */
  take(): boolean {
    if (++this.reads >= READS_BETWEEN_LOOKS) this.look();
    return this.turn !== 'spent';
  }

  /** How many wait for a later turn. */
  get waiting(): number {
    return this.late.length;
  }

  wait(read: LateRead): void {
    this.late.push(read);
  }

  private look(): void {
    this.reads = 0;
    this.looks++;
    const nowMs = this.clock.monotonic();
    if (this.turn === 'not timed') {
      this.turn = 'timed';
      this.beganAtMs = nowMs;
      setImmediate(this.onTurn);
    } else if (nowMs - this.beganAtMs >= TURN_MS) {
      this.turn = 'spent';
    }
  }

  private readonly onTurn = (): void => {
    this.turn = 'not timed';
    this.isCrowded = this.looks >= CROWDED_LOOKS;
    this.looks = 0;
    this.writes.flush();
    const { late } = this;
    let next = 0;
    while (next < late.length && this.take()) late[next++]?.onTurn();
    this.late = late.slice(next);
  };
}
