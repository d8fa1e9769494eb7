import type { Timer } from '@elasti/operator-kit';

import type { LeaseOutcome, OwnAnswer, PodLease, ServicePort } from '../exchange';
import type { Link, ProxyContext } from '../proxy';
import { StartingPods } from '../proxy';
import { FIRST_WINDOW } from './frame';
import type { H2Stream } from './h2-stream';
import { STREAM_BYTES } from './limits';
import { StreamHold } from './stream-hold';
import type { StreamHolder } from './stream-hold';

/** The connection that a pod is sought for. */
export interface PodSeeker {
  /** A pod took the connection. It counts as found once `join` is called; until then, losing it is told by `lost`. */
  onPodConnected(link: Link): void;
  /** This stream gets none; the others go on waiting. */
  onNoPod(stream: H2Stream, answer: OwnAnswer): void;
}

/** Pods in a row that take the connection and close it without a word: they do not speak HTTP/2. */
const SILENT_LIMIT = 3;

/**
 * The way of one client connection to a pod, through the gate.
 *
 * Each stream waits at the gate on its own; the first that gets a lease brings the pod for all. Holds at most one lease and gives it up
 * exactly once. A pod that is lost before it said a word of HTTP/2 has seen no request, so the next is tried until the gate gives up.
 */
export class PodEntry implements StreamHolder {
  private state: 'idle' | 'waiting' | 'dialling' | 'joined' = 'idle';
  /** Of every stream that a pod was sought for, until the stream is over; all of them wait together, or none does. */
  private readonly holds = new Map<H2Stream, StreamHold>();
  private heldBodyBytes = 0;
  private lease: PodLease | undefined;
  private link: Link | undefined;
  private timer: Timer | undefined;
  private silences = 0;
  private readonly startingPods = new StartingPods();

  constructor(
    private readonly context: ProxyContext,
    private readonly seeker: PodSeeker,
  ) {}

  get isIdle(): boolean {
    return this.state === 'idle';
  }

  get isJoined(): boolean {
    return this.state === 'joined';
  }

  /** Whether a pod was promised. */
  get hasLease(): boolean {
    return this.lease !== undefined;
  }

  get podKey(): string | undefined {
    return this.lease?.podKey;
  }

  /** One pod serves the whole connection. What still waits when a place was given takes no room of its own. */
  get exchanges(): number {
    return this.state === 'waiting' ? this.holds.size : 0;
  }

  /** How long a request may be held, as the gate says with a place; `Infinity` when it does not. */
  get requestTimeoutMs(): number {
    return this.lease?.requestTimeoutMs ?? Infinity;
  }

  /** Since when this stream waits; `Infinity` for one that was with a pod and has not looked for another yet. */
  heldSinceMs(stream: H2Stream): number {
    return this.holds.get(stream)?.heldSinceMs ?? stream.unsentSinceMs ?? Infinity;
  }

  /** A stream has begun or is over, and so many are open now. */
  touch(open: number): void {
    this.lease?.touch?.(open);
  }

  /** Seeks a pod for one more stream, beginning with the one that is leased already, if there is one. */
  ask(stream: H2Stream, lease: PodLease | undefined, not?: string): void {
    const hold = this.hold(stream);
    if (not !== undefined) hold.avoid(not);
    if (this.state === 'idle') this.silences = 0;
    if (lease) {
      this.dial(lease);
    } else if (this.state === 'dialling') {
      this.touch(this.holds.size);
    } else {
      this.state = 'waiting';
      hold.wait();
    }
  }

  /** The stream takes more to hold than was counted; one that finds no room for that by now is refused. */
  grow(stream: H2Stream, bytes: number): void {
    this.holds.get(stream)?.grow(bytes);
  }

  /** The stream is over. */
  drop(stream: H2Stream): void {
    const hold = this.holds.get(stream);
    if (hold === undefined) return;
    this.holds.delete(stream);
    this.heldBodyBytes -= hold.bodyBytes;
    hold.stop();
  }

  /** The pod speaks HTTP/2: it is found, for all that wait. */
  join(): void {
    this.state = 'joined';
    this.lease?.answered?.();
    this.timer?.cancel();
    this.heldBodyBytes = 0;
    const holds = [...this.holds.values()];
    const moments = holds.map((hold) => hold.join());
    const first = moments.find((known) => known !== undefined);
    holds.forEach(({ stream }, at) => (stream.moments = moments[at] ?? first));
  }

  /** The pod that took the connection has closed it before it was found. */
  lost(): void {
    if (this.lease && !this.startingPods.forgives(this.lease)) this.silences++;
    this.onUnmet('broken');
  }

  /** Nobody waits any more, or all is over. */
  leave(outcome: LeaseOutcome): void {
    this.stopAll();
    this.letGo(outcome);
  }

  onLease(hold: StreamHold, lease: PodLease): void {
    // One pod serves the whole connection, so only the first place is taken.
    if (this.state === 'waiting') this.dial(lease);
    else lease.release('unused');
  }

  onNoPod({ stream }: StreamHold, answer: OwnAnswer): void {
    this.drop(stream);
    this.seeker.onNoPod(stream, answer);
  }

  private hold(stream: H2Stream): StreamHold {
    const hold = this.holds.get(stream) ?? new StreamHold(stream, this.context, this);
    // All bodies together take no more than the connection's first window lets the client send.
    const bodyBytes = Math.min(mostBodyBytes(stream), Math.max(0, FIRST_WINDOW - this.heldBodyBytes));
    hold.begin(STREAM_BYTES + stream.headBytes, bodyBytes);
    this.holds.set(stream, hold);
    this.heldBodyBytes += bodyBytes;
    return hold;
  }

  private stopAll(): void {
    this.state = 'idle';
    this.heldBodyBytes = 0;
    for (const hold of this.holds.values()) hold.stop();
  }

  private dial(lease: PodLease): void {
    const { clock, settings, links } = this.context;
    this.state = 'dialling';
    this.lease = lease;
    if (this.holds.size > 1) this.touch(this.holds.size);
    // One that takes the connection and does not greet in time is not there for others either.
    const refused = (): void => this.onUnmet('refused');
    this.timer = clock.after(settings.connectTimeoutMs, refused);
    const link = links.dial(lease.address, lease.port, () => {
      if (this.link === link) this.seeker.onPodConnected(link);
    });
    this.link = link;
    link.owner = { onBytes: () => undefined, onDrain: () => undefined, onEnd: () => undefined, onClosed: refused };
  }

  private onUnmet(outcome: LeaseOutcome): void {
    const { lease } = this;
    if (lease === undefined || this.state !== 'dialling') return;
    this.letGo(outcome);
    if (this.silences >= SILENT_LIMIT) {
      this.giveUp();
      return;
    }
    this.state = 'waiting';
    for (const hold of [...this.holds.values()]) {
      hold.avoid(lease.podKey);
      hold.wait();
    }
  }

  private giveUp(): void {
    this.stopAll();
    for (const stream of [...this.holds.keys()]) {
      this.seeker.onNoPod(stream, { status: 502, text: `${nameOf(stream.target)}: the pod does not speak HTTP/2` });
    }
  }

  private letGo(outcome: LeaseOutcome): void {
    const { link, lease } = this;
    this.timer?.cancel();
    this.link = undefined;
    this.lease = undefined;
    link?.destroy();
    lease?.release(outcome);
  }
}

function mostBodyBytes(stream: H2Stream): number {
  if (stream.clientOver) return stream.heldData?.length ?? 0;
  return stream.contentLength < 0 ? FIRST_WINDOW : stream.contentLength;
}

export function nameOf({ namespace, service, port }: ServicePort): string {
  return `${namespace}/${service}:${port}`;
}
