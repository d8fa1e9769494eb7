import { FRAME_HEAD_BYTES, writeWindowUpdate } from './frame';
import type { H2Session } from './h2-session';
import type { H2Stream } from './h2-stream';

/**
 * What is kept of the DATA frames of a client: held until there is a pod, delayed until the pod takes it, or remembered for the next one.
 *
 * Each frame is known to be within the rules; `padding` is what of it carries nothing, with the byte that says so.
 */
export class RequestBodies {
  constructor(private readonly session: H2Session) {}

  /** Remembers what the pod was sent, as long as it may have to be sent to another. */
  keep(stream: H2Stream, bytes: Buffer, start: number, end: number, padding: number, ends: boolean): void {
    const { memory } = this.session;
    // Once it is over it will be forgotten, unless a part of it waits.
    if (ends && !stream.isRepeatable && stream.backlog === undefined) return;
    if (stream.isSeen) memory.forget(stream);
    else memory.keep(stream, bytes, bodyStart(start, padding), bodyEnd(end, padding));
  }

  /** For a stream that is not with the pod yet. False when it is too much. */
  hold(stream: H2Stream, bytes: Buffer, start: number, end: number, padding: number): boolean {
    this.giveBack(stream, padding);
    return this.session.memory.hold(stream, bytes, bodyStart(start, padding), bodyEnd(end, padding));
  }

  /** For a stream whose pod does not take that much yet. */
  delay(stream: H2Stream, bytes: Buffer, start: number, end: number, padding: number, ends: boolean): void {
    const { session } = this;
    this.giveBack(stream, padding);
    session.backlog.add(stream, bytes, bodyStart(start, padding), bodyEnd(end, padding));
    if (ends) stream.clientOver = true;
    session.sendMore();
  }

  /** What waits is kept without its padding, so what that took of the windows is given back. */
  private giveBack(stream: H2Stream, padding: number): void {
    if (padding === 0) return;
    this.session.credit(padding);
    this.session.client.tell(writeWindowUpdate(stream.id, padding));
  }
}

function bodyStart(frameStart: number, padding: number): number {
  return frameStart + FRAME_HEAD_BYTES + (padding === 0 ? 0 : 1);
}

function bodyEnd(frameEnd: number, padding: number): number {
  return padding === 0 ? frameEnd : frameEnd - padding + 1;
}
