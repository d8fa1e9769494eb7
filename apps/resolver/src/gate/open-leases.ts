import type { Clock } from '@elasti/operator-kit';
import type { LeaseOutcome, WaitedFor } from '../exchange';
import type { Place } from './lane';
import { Lease, type LeaseKind, type LeaseOwner } from './lease';
import type { PodLoad } from './pod-load';
import type { ServiceLanes } from './service-lanes';

/** Who hears of the places that are in use. */
export interface LeaseEvents {
  /** A place that counts as activity is used for one more, or one less. */
  onUse(): void;
  /** Some were let go with their place and have to wait for the pod. */
  onHeldBack(): void;
  /** A pod has less to do. */
  onRoom(): void;
  onEnded(): void;
}

/**
 * The places at the pods of one Service that are in use.
 *
 * Each is counted from the moment it is given to its end, so the counts come back to zero.
 */
export class OpenLeases implements LeaseOwner {
  count = 0;
  /** Those that count as activity. */
  active = 0;
  /** Those whose connections have more to send than their pod takes by now, oldest first. */
  private readonly heldBack = new Set<Lease>();

  constructor(
    private readonly lanes: ServiceLanes,
    private readonly clock: Clock,
    private readonly maxConcurrencyPerFreshPod: number,
    private readonly events: LeaseEvents,
  ) {}

  get hasHeldBack(): boolean {
    return this.heldBack.size > 0;
  }

  give(place: Place, kind: LeaseKind, waitedFor: WaitedFor | undefined): Lease {
    place.load.open++;
    this.count++;
    if (kind === 'activity') this.active++;
    return new Lease(this, place, kind, waitedFor);
  }

  /** Tells those who are held back where there is room by now. */
  letMoreGo(): void {
    for (const lease of this.heldBack) if (this.roomAt(lease.load) > 0) lease.onRoom?.();
  }

  roomAt(load: PodLoad): number {
    return load.room(this.maxConcurrencyPerFreshPod, this.clock.monotonic());
  }

  carried(lease: Lease, change: 'fewer' | 'no fewer'): void {
    if (lease.kind === 'activity') this.events.onUse();
    if (lease.isHeldBack) {
      this.heldBack.add(lease);
      this.events.onHeldBack();
    } else if (this.hasHeldBack) {
      this.heldBack.delete(lease);
    }
    if (change === 'fewer') this.events.onRoom();
  }

  ended(lease: Lease, outcome: LeaseOutcome): void {
    const { load, kind } = lease;
    load.end(outcome, this.clock.monotonic());
    this.count--;
    if (kind === 'activity') this.active--;
    if (this.hasHeldBack) this.heldBack.delete(lease);
    if (load.open === 0) this.lanes.forgetIfIdle(load);
    this.events.onEnded();
  }
}
