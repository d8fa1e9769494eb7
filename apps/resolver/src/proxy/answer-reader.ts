import type { BodyFraming } from '../http1';
import { BODY_FAULT, HeadBuffer, KEPT_HEAD_BYTES, ResponseHead } from '../http1';

/** Who an answer is read for. */
export interface AnswerSink {
  onInterim(head: ResponseHead): void;
  /** The pod changes the protocol; the bytes from `start` on are no longer HTTP. */
  onSwitch(head: ResponseHead, bytes: Buffer, start: number, end: number): void;
  /** The head, with the first bytes of the body. */
  onAnswer(head: ResponseHead, bytes: Buffer, start: number, end: number): void;
  onAnswerBody(bytes: Buffer, start: number, end: number): void;
  /** `reusable` is false when bytes follow that nobody asked for, or when the pod said so. */
  onAnswerOver(reusable: boolean): void;
  onBadAnswer(): void;
}

/** Interim answers beyond this many are taken for a fault. */
const INTERIM_LIMIT = 32;

/**
 * Reads one answer after the other from a connection to a pod.
 *
 * An answer is checked before any byte of that read is passed on, so a fault in the first read can still become a 502.
 */
export class AnswerReader {
  readonly head = new ResponseHead();
  private readonly heads = new HeadBuffer();
  private state: 'head' | 'body' | 'over' = 'over';
  private framing: BodyFraming | undefined;
  private method = '';
  private interims = 0;

  /** Whether an answer has begun that only the end of the connection ends. */
  get endsWithConnection(): boolean {
    return this.state === 'body' && !this.head.fields.chunked && this.head.fields.contentLength < 0;
  }

  begin(requestMethod: string): void {
    this.method = requestMethod;
    this.state = 'head';
    this.interims = 0;
  }

  /** No answer is expected for a while: nothing is kept of a large head. */
  rest(): void {
    if (this.heads.text.length <= KEPT_HEAD_BYTES) return;
    this.heads.forget();
    this.head.forget();
  }

  read(bytes: Buffer, start: number, end: number, sink: AnswerSink): void {
    if (this.state === 'body') this.readBody(bytes, start, end, sink);
    else if (this.state === 'head') this.readHeads(bytes, start, end, sink);
    else sink.onBadAnswer();
  }

  private readHeads(bytes: Buffer, start: number, end: number, sink: AnswerSink): void {
    for (let at = start; at < end;) {
      const search = this.heads.search(bytes, at, end);
      if (search === 'more') return;
      if (search !== 'found' || this.head.read(this.heads.text) !== undefined) {
        sink.onBadAnswer();
        return;
      }
      at = this.heads.next;
      if (!this.head.isInterim) {
        this.readAnswer(bytes, at, end, sink);
        return;
      }
      if (++this.interims > INTERIM_LIMIT) {
        sink.onBadAnswer();
        return;
      }
      sink.onInterim(this.head);
    }
  }

  private readAnswer(bytes: Buffer, start: number, end: number, sink: AnswerSink): void {
    if (this.head.status === 101) {
      this.state = 'over';
      sink.onSwitch(this.head, bytes, start, end);
      return;
    }
    this.state = 'body';
    this.framing = this.head.framing(this.method);
    const over = this.framing === undefined ? start : this.framing.take(bytes, start, end);
    if (over === BODY_FAULT) {
      sink.onBadAnswer();
      return;
    }
    if (over >= 0) this.state = 'over';
    sink.onAnswer(this.head, bytes, start, over < 0 ? end : over);
    if (over >= 0) sink.onAnswerOver(over === end && this.head.keepsAlive);
  }

  private readBody(bytes: Buffer, start: number, end: number, sink: AnswerSink): void {
    const over = this.framing === undefined ? start : this.framing.take(bytes, start, end);
    if (over === BODY_FAULT) {
      sink.onBadAnswer();
      return;
    }
    sink.onAnswerBody(bytes, start, over < 0 ? end : over);
    if (over < 0) return;
    this.state = 'over';
    sink.onAnswerOver(over === end && this.head.keepsAlive);
  }
}
