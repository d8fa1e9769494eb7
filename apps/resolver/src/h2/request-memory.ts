import type { Trailers } from './h2-request';
import type { H2Stream } from './h2-stream';
import { HeldData } from './held-data';
import { HELD_BODIES_BYTES, KEPT_BODY_BYTES, KEPT_BYTES } from './limits';

/** A request that three pods in a row dropped is likelier the cause than the victim. */
const SENDS_LIMIT = 3;

/**
 * What one connection remembers of its requests: held ones, until they are sent, and kept ones, in case they have to be sent again.
 *
 * A request that can be repeated is kept until its answer begins, as far as there is room; one that must not be repeated is kept until it
 * was sent in full. The counts come back to zero when all streams are over.
 */
export class RequestMemory {
  heldHeadBytes = 0;
  heldDataBytes = 0;
  private keptBytes = 0;

  /** A stream begins to wait. */
  holdHead(stream: H2Stream): void {
    this.heldHeadBytes += stream.headBytes;
  }

  /**
   * Keeps a piece of a body for the pod. False when it is too much: the pod that a stream comes back from may have let it send far more than
   * is kept of a body.
   */
  hold(stream: H2Stream, bytes: Buffer, start: number, end: number): boolean {
    if (start === end) return true;
    this.heldDataBytes += end - start;
    stream.heldData ??= new HeldData();
    stream.heldData.add(bytes, start, end);
    return this.heldDataBytes <= HELD_BODIES_BYTES && (stream.sends === 0 || stream.heldData.length <= KEPT_BODY_BYTES);
  }

  holdTrailers(stream: H2Stream, trailers: Trailers): void {
    this.heldHeadBytes += trailers.size;
    stream.heldTrailers = trailers;
  }

  /** The stream was sent, once more maybe. */
  onSent(stream: H2Stream): void {
    this.uncountHeld(stream);
    stream.isSent = true;
    stream.sends++;
    if (stream.sends >= SENDS_LIMIT || stream.isSeen || this.keptBytes + stream.keptBytes > KEPT_BYTES) stream.forgetRequest();
    this.keptBytes += stream.keptBytes;
  }

  /** Remembers a piece of a body that was sent, as long as the request may have to be repeated. A body of no bytes is none: its head ends it. */
  keep(stream: H2Stream, bytes: Buffer, start: number, end: number): void {
    if (stream.request === undefined || start === end) return;
    stream.heldData ??= new HeldData();
    if (stream.heldData.length + end - start > KEPT_BODY_BYTES || this.keptBytes + end - start > KEPT_BYTES) {
      this.forget(stream);
      return;
    }
    this.keptBytes += end - start;
    stream.heldData.add(bytes, start, end);
  }

  keepTrailers(stream: H2Stream, trailers: Trailers): void {
    if (stream.request === undefined) return;
    if (this.keptBytes + trailers.size > KEPT_BYTES) {
      this.forget(stream);
      return;
    }
    this.keptBytes += trailers.size;
    stream.heldTrailers = trailers;
  }

  /** A stream that was sent is held again. */
  takeBack(stream: H2Stream): void {
    this.keptBytes -= stream.keptBytes;
    this.heldHeadBytes += stream.headBytes;
    this.heldDataBytes += stream.heldData?.length ?? 0;
    stream.isSent = false;
  }

  /** The request is not needed any more, whether it was sent or not. */
  forget(stream: H2Stream): void {
    if (stream.isSent) this.keptBytes -= stream.keptBytes;
    else this.uncountHeld(stream);
    stream.forgetRequest();
  }

  private uncountHeld(stream: H2Stream): void {
    this.heldDataBytes -= stream.heldData?.length ?? 0;
    this.heldHeadBytes -= stream.headBytes;
  }
}
