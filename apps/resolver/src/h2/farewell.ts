import { H2_ERROR, LARGEST_STREAM_ID, writeGoaway, writePing } from './frame';
import type { H2Session } from './h2-session';

/** Tells our own ping from those that come from the pod. */
const OWN_PING = 'elasti\x00\x01';

/**
 * How a client is told to go.
 *
 * Nothing is refused that it had already sent: what it sends is served until it has heard, which its answer to our ping shows.
 */
export class Farewell {
  private state: 'unsaid' | 'said' | 'heard' = 'unsaid';

  constructor(private readonly session: H2Session) {}

  get isSaid(): boolean {
    return this.state !== 'unsaid';
  }

  get isHeard(): boolean {
    return this.state === 'heard';
  }

  say(): void {
    const { session } = this;
    this.state = 'said';
    session.client.tell(writeGoaway(Math.min(LARGEST_STREAM_ID, session.podLastStreamId), H2_ERROR.none) + writePing(OWN_PING, 'question'));
  }

  /** The client answers a ping; false when it was none of ours, or is answered a second time. */
  hear(payload: string): boolean {
    if (payload !== OWN_PING || this.state !== 'said') return false;
    this.state = 'heard';
    return true;
  }
}
