import type { Timer } from '@elasti/operator-kit';

import type { HoldMoments, LeaseOutcome, OwnAnswer, PodLease, ServicePort } from '../exchange';
import { Link, PodSearch } from '../proxy';
import type { ProxyContext } from '../proxy';

/** The connection that a pod is sought for. */
export interface PodSeeker {
  /** A pod took the connection. It counts as found once `join` is called; until then, losing it is told by `lost`. */
  onPodConnected(link: Link): void;
  onNoPod(answer: OwnAnswer): void;
}

/** Pods in a row that take the connection and close it without a word: they do not speak HTTP/2. */
const SILENT_LIMIT = 3;

/**
 * The way of one client connection to a pod, through the gate.
 *
 * Holds at most one lease and gives it up exactly once. A pod that is lost before it said a word of HTTP/2 has seen no request, so the next
 * is tried until the gate gives up.
 */
export class PodEntry {
  private state: 'idle' | 'waiting' | 'dialling' | 'joined' = 'idle';
  private target: ServicePort | undefined;
  private search: PodSearch | undefined;
  private lease: PodLease | undefined;
  private link: Link | undefined;
  private timer: Timer | undefined;
  private silences = 0;
  private bytesHeld = 0;

  constructor(
    private readonly context: ProxyContext,
    private readonly seeker: PodSeeker,
  ) {}

  get isIdle(): boolean {
    return this.state === 'idle';
  }

  /** Whether a pod was promised. */
  get hasLease(): boolean {
    return this.lease !== undefined;
  }

  get podKey(): string | undefined {
    return this.lease?.podKey;
  }

  /** What was waited for, once a pod is found. */
  get moments(): HoldMoments | undefined {
    return this.search?.moments;
  }

  /** Seeks a pod, beginning with the one that is leased already, if there is one. */
  ask(target: ServicePort, lease: PodLease | undefined, bytesHeld: number): void {
    this.target = target;
    this.bytesHeld = bytesHeld;
    this.silences = 0;
    if (lease) this.dial(lease);
    else this.wait(target);
  }

  /** The pod speaks HTTP/2: it is found. */
  join(): void {
    this.state = 'joined';
    this.timer?.cancel();
    this.search?.markSent();
  }

  /** The pod that took the connection has closed it before it was found. */
  lost(): void {
    this.silences++;
    this.onRefused();
  }

  /** Nobody waits any more, or all is over. */
  leave(outcome: LeaseOutcome): void {
    this.state = 'idle';
    this.search?.stop();
    this.search = undefined;
    this.letGo(outcome);
  }

  onLease(lease: PodLease): void {
    this.dial(lease);
  }

  onNoPod(answer: OwnAnswer): void {
    this.leave('done');
    this.seeker.onNoPod(answer);
  }

  private wait(target: ServicePort): void {
    this.state = 'waiting';
    this.search ??= new PodSearch(this.context, target, this);
    this.search.wait(this.bytesHeld);
  }

  private dial(lease: PodLease): void {
    const { clock, settings, buffers } = this.context;
    this.state = 'dialling';
    this.lease = lease;
    const refused = (): void => this.onRefused();
    this.timer = clock.after(settings.connectTimeoutMs, refused);
    const link = Link.dial(lease.address, lease.port, buffers, () => {
      if (this.link === link) this.seeker.onPodConnected(link);
    });
    this.link = link;
    link.owner = { onBytes: () => undefined, onDrain: () => undefined, onEnd: () => undefined, onClosed: refused };
  }

  private onRefused(): void {
    const { lease, target } = this;
    if (lease === undefined || target === undefined || this.state !== 'dialling') return;
    this.letGo('refused');
    if (this.silences >= SILENT_LIMIT) {
      this.onNoPod({ status: 502, text: `${nameOf(target)}: the pod does not speak HTTP/2` });
      return;
    }
    this.search ??= new PodSearch(this.context, target, this);
    this.search.avoid(lease.podKey);
    this.wait(target);
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

export function nameOf({ namespace, service, port }: ServicePort): string {
  return `${namespace}/${service}:${port}`;
}
