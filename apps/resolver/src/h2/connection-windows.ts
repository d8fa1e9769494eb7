import { FIRST_WINDOW, LARGEST_WINDOW } from './frame';
import { LATE_BYTES } from './limits';

/**
 * The windows of a connection in both directions, as the client sees them.
 *
 * The pod has views of its own: it does not see what our answers took, what is held back, and what the client had from a pod before it.
 * Such differences are made up with the next increments, so that neither side is ever given more than it may use.
 */
export class ConnectionWindows {
  /** What the client takes. */
  clientTakes = FIRST_WINDOW;
  /** What the pod may believe that the client takes, and it does not. */
  debt = 0;
  /** What the pod takes. */
  podTakes = FIRST_WINDOW;
  private clientSends = FIRST_WINDOW;
  /** What the client may send, and the pod has not allowed yet. */
  private excess = 0;
  /** What the client may have sent for streams that are over, before it heard that they are. */
  private lateBytes = 0;

  /** An answer of our own took this much. */
  spend(bytes: number): void {
    this.clientTakes -= bytes;
    this.debt += bytes;
  }

  /** The client takes more; gives how much of that the pod is to hear of. */
  widen(increment: number): number {
    const paid = Math.min(increment, this.debt);
    this.clientTakes += increment;
    this.debt -= paid;
    return increment - paid;
  }

  get isTooWide(): boolean {
    return this.clientTakes > LARGEST_WINDOW;
  }

  /** The client has sent this much. False when it was not allowed to. */
  receive(bytes: number): boolean {
    this.clientSends -= bytes;
    return this.clientSends >= 0;
  }

  /** A stream is over of which the client may have sent this much more by now; all such streams share the window of the connection. */
  expectLate(bytes: number): void {
    this.lateBytes = Math.min(this.clientSends, this.lateBytes + Math.max(0, bytes), LATE_BYTES);
  }

  /** The client has sent this much for a stream that is over. False when it knew better, or sent nothing at all. */
  takeLate(bytes: number): boolean {
    if (bytes === 0 || bytes > this.lateBytes) return false;
    this.lateBytes -= bytes;
    return true;
  }

  /** The client is told that it may send more. */
  allow(bytes: number): void {
    this.clientSends += bytes;
  }

  /** The pod takes more; gives how much of that the client is to hear of. */
  widenForClient(increment: number): number {
    const known = Math.min(increment, this.excess);
    this.podTakes += increment;
    this.excess -= known;
    this.clientSends += increment - known;
    return increment - known;
  }

  /** Another pod begins with the first windows and is to get `heldBytes`; says what the two sides must be told to agree on that. */
  meetPod(heldBytes: number): { readonly tellPod: number; readonly tellClient: number } {
    const spare = this.clientTakes - FIRST_WINDOW;
    const excess = this.clientSends + heldBytes - FIRST_WINDOW;
    this.podTakes = FIRST_WINDOW;
    this.debt = Math.max(0, -spare);
    this.excess = Math.max(0, excess);
    return { tellPod: Math.max(0, spare), tellClient: Math.max(0, -excess) };
  }
}
