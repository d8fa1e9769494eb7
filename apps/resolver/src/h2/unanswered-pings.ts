import { writePing } from './frame';

/** A client that waits for an answer hardly asks again; one that floods a pod must cost us nothing. */
const REMEMBERED = 8;

/**
 * The last pings that went to the pod and came back from it no more.
 *
 * A client takes a connection for dead that leaves a ping without an answer, and gives up all that it waits for there.
 */
export class UnansweredPings {
  private readonly payloads: string[] = [];

  ask(payload: string): void {
    if (this.payloads.length === REMEMBERED) this.payloads.shift();
    this.payloads.push(payload);
  }

  /** The pod has answered. */
  hear(payload: string): void {
    const at = this.payloads.indexOf(payload);
    if (at >= 0) this.payloads.splice(at, 1);
  }

  /** The pod is lost: the answers that it owes. */
  answerAll(): string {
    return this.payloads
      .splice(0)
      .map((payload) => writePing(payload, 'answer'))
      .join('');
  }
}
