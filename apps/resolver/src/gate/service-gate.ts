import type { KnownService, ServiceRef } from '../directory';
import {
  GateError,
  type GateRefusal,
  type Held,
  type Holder,
  type LeaseOutcome,
  type PodLease,
  type Ticket,
  type WaitedFor,
} from '../exchange';
import type { GateDependencies } from './gate-dependencies';
import type { Lane, Place } from './lane';
import { Lease, type LeaseKind, type LeaseOwner } from './lease';
import type { PodLoad } from './pod-load';
import { Release, type ReleaseOwner } from './release';
import { ServiceLanes } from './service-lanes';
import { Waiter } from './waiter';
import { nobodySpeaks, type RoomHost, WaitingRoom } from './waiting-room';
import { WakeWish } from './wake-wish';

/** An ElastiService that is replaced is back within this time. */
const replacedWithinMs = 5_000;

/** What a gate tells those who share its bookkeeping. */
export interface GateHost extends RoomHost {
  readonly dependencies: GateDependencies;
  /** Something waits there now. */
  holding(gate: ServiceGate): void;
  /** Nothing is held and nothing is open there. */
  idle(gate: ServiceGate): void;
}

/**
 * One Service: its pods, what is open at each, and who waits.
 *
 * Counters come back to zero when everything has ended. Nobody waits while there is room for them, and on one port nobody is let go before one who came earlier.
 */
export class ServiceGate implements LeaseOwner, ReleaseOwner {
  readonly namespace: string;
  readonly service: string;
  lastRequestMs: number | undefined;

  private leases = 0;
  private activeLeases = 0;
  private known: KnownService | undefined;
  /** Since when no ElastiService speaks for it; of no meaning while one does. */
  private unknownSinceMs = 0;
  private readonly lanes: ServiceLanes;
  private readonly room: WaitingRoom;
  private readonly release: Release;
  private readonly wish: WakeWish;
  private readonly stopListening: (() => void)[];

  constructor(
    ref: ServiceRef,
    private readonly host: GateHost,
  ) {
    this.namespace = ref.namespace;
    this.service = ref.service;
    const { directory, services, pods, waker, clock } = host.dependencies;
    this.lanes = new ServiceLanes(ref);
    this.room = new WaitingRoom(this, this.lanes, host);
    this.release = new Release(this.lanes, clock, host.config.maxConcurrencyPerFreshPod, this);
    this.wish = new WakeWish(this, waker, () => this.nowMs());
    this.stopListening = [directory, services, pods].map((source) => source.watch(this, () => this.refresh()));
    this.refresh();
  }

  /** Requests that wait. */
  get held(): number {
    return this.room.held;
  }

  /** Exchanges and held requests that count as activity. */
  get open(): number {
    return this.activeLeases + this.room.held;
  }

  /** How long a request may be held. */
  get requestTimeoutMs(): number {
    return this.known?.requestTimeoutMs ?? this.host.config.requestTimeoutMs;
  }

  get isForgettable(): boolean {
    return !this.known && this.isIdle && !this.lanes.hasPods;
  }

  /** Whether time has to pass for something here. */
  get isWaiting(): boolean {
    return this.held > 0 || this.wish.isNudged;
  }

  close(): void {
    for (const stop of this.stopListening) stop();
    this.release.close();
    this.wish.close();
  }

  /** Asks for a wake without waiting for it; `false` when there is nothing to wake here. */
  nudge(port: number): boolean {
    const lane = this.lanes.find(port);
    if (!lane?.wakes || !this.known || this.lanes.hasPods) return false;
    this.lastRequestMs = this.nowMs();
    this.wish.nudge(this.lastRequestMs);
    this.host.holding(this);
    return true;
  }

  tryEnter(port: number): PodLease | undefined {
    const lane = this.lanes.find(port);
    if (!lane || lane.waiters.oldest) return undefined;
    const nowMs = this.nowMs();
    const place = lane.leastBusy(nowMs);
    return place && this.arrive(place, lane, nowMs);
  }

  /** A ticket when it waits. */
  hold(port: number, held: Held, holder: Holder): Ticket | undefined {
    const verdict = this.admit(port, held, holder);
    if (verdict instanceof Lease) holder.entered(verdict);
    else if (verdict instanceof GateError) holder.refused(verdict);
    else if (verdict.state === 'waiting') return verdict;
    return undefined;
  }

  /** Ends the waits that have lasted too long, and lets go whom there is room for by now. */
  tick(nowMs: number): void {
    if (!this.known && !this.lanes.hasPods && nowMs - this.unknownSinceMs >= replacedWithinMs) this.turnAllAway();
    const timeoutMs = this.requestTimeoutMs;
    for (const lane of this.lanes) {
      for (let waiter = lane.waiters.oldest; waiter && nowMs - waiter.sinceMs >= timeoutMs; waiter = lane.waiters.oldest) {
        this.fail(waiter, 'timed out', whatFor(lane, nowMs - waiter.sinceMs, waiter.not));
      }
    }
    this.wish.tick(nowMs);
    this.letWaitersGo(nowMs);
    this.updateWish();
  }

  touched(kind: LeaseKind, room: 'as before' | 'freed'): void {
    const nowMs = this.nowMs();
    if (kind === 'activity') this.lastRequestMs = nowMs;
    if (room === 'freed' && this.held > 0) this.release.onEnded();
  }

  ended(load: PodLoad, kind: LeaseKind, outcome: LeaseOutcome): void {
    const nowMs = this.nowMs();
    load.end(outcome, nowMs);
    this.leases--;
    if (kind === 'activity') this.activeLeases--;
    if (load.open === 0) this.lanes.forgetIfIdle(load);
    if (this.held > 0) this.release.onEnded();
    else if (this.leases === 0) this.host.idle(this);
  }

  abandon(waiter: Waiter): void {
    this.room.remove(waiter, 'left', this.nowMs());
    // It may have wanted more room than those behind it do.
    if (this.held > 0 && waiter.lane.places.length > 0) this.release.runSoon();
    this.settle();
  }

  letGo(waiter: Waiter, place: Place): void {
    this.room.remove(waiter, 'entered', this.nowMs());
    waiter.holder.entered(this.lease(place, 'activity', this.waitedFor(place), waiter.holder.exchanges));
  }

  onRest(): void {
    this.letWaitersGo(this.nowMs());
  }

  private refresh(): void {
    const { directory, services, pods } = this.host.dependencies;
    const nowMs = this.nowMs();
    const known = directory.find(this);
    if (!known && this.known) this.unknownSinceMs = nowMs;
    this.known = known;
    for (const lane of this.lanes.update({ known: this.known, facts: services.find(this), pods: pods.of(this) }, nowMs)) {
      this.failAll(lane, `the Service has no TCP port ${lane.port}`);
    }
    this.letWaitersGo(nowMs);
    this.settle();
  }

  private admit(port: number, held: Held, holder: Holder): Lease | Waiter | GateError {
    const nowMs = this.nowMs();
    const lane = this.lanes.find(port);
    if (!lane) return this.room.refuse(port, 'unknown', `the Service has no TCP port ${port}`);

    // Pods that swallow connections are in turns free to be tried, so that one may come back for ever without standing in the queue.
    const { waitedMs = 0, not } = held;
    if (waitedMs >= this.requestTimeoutMs) return this.room.refuse(port, 'timed out', whatFor(lane, waitedMs, not));

    // Those who wait come first, but a port that wakes nothing does not wait with them.
    const place = lane.waiters.oldest && lane.wakes ? undefined : lane.leastBusy(nowMs, not);
    if (place) return this.arrive(place, lane, nowMs);
    if (lane.wakes) this.lastRequestMs = nowMs;
    return this.room.reasonAgainst(lane, held, this.known) ?? this.queue(lane, held, holder, nowMs);
  }

  private arrive(place: Place, lane: Lane, nowMs: number): Lease {
    if (lane.wakes) this.lastRequestMs = nowMs;
    return this.lease(place, lane.wakes ? 'activity' : 'not activity', undefined);
  }

  private lease(place: Place, kind: LeaseKind, waitedFor: WaitedFor | undefined, exchanges = 1): Lease {
    this.leases++;
    if (kind === 'activity') this.activeLeases++;
    return new Lease(this, place, kind, waitedFor, exchanges);
  }

  private waitedFor({ load }: Place): WaitedFor {
    const { acceptedAtMs: wakeAcceptedAtMs } = this.wish;
    return { readyAtMs: load.readySinceMs, ...(wakeAcceptedAtMs !== undefined && { wakeAcceptedAtMs }) };
  }

  private queue(lane: Lane, { bytesHeld, not, waitedMs = 0 }: Held, holder: Holder, nowMs: number): Waiter {
    // One that comes back keeps its deadline and stands before those who came after it.
    const waiter = new Waiter(lane, nowMs - waitedMs, bytesHeld, not, holder, this);
    this.room.add(waiter);
    this.host.holding(this);
    this.updateWish();
    // There may be room in spite of those who wait: they avoid the pods that have it.
    if (lane.places.length > 0) this.letWaitersGo(nowMs);
    return waiter;
  }

  private fail(waiter: Waiter, reason: GateRefusal, detail: string): void {
    this.room.remove(waiter, reason, this.nowMs());
    waiter.holder.refused(this.room.refuse(waiter.lane.port, reason, detail));
    this.settle();
  }

  /** Nobody wakes their pods any more, and an early answer lets them ask again where the Service leads now. */
  private turnAllAway(): void {
    for (const lane of [...this.lanes]) this.failAll(lane, nobodySpeaks);
  }

  private failAll(lane: Lane, detail: string): void {
    for (let waiter = lane.waiters.oldest; waiter; waiter = lane.waiters.oldest) this.fail(waiter, 'unknown', detail);
  }

  private letWaitersGo(nowMs: number): void {
    if (this.held > 0 && this.release.run(nowMs)) this.settle();
  }

  private settle(): void {
    this.updateWish();
    if (this.isIdle) this.host.idle(this);
  }

  private get isIdle(): boolean {
    return this.held === 0 && this.leases === 0;
  }

  private updateWish(): void {
    this.wish.update(this.lanes.readyPods);
  }

  nowMs(): number {
    return this.host.dependencies.clock.monotonic();
  }
}

/** What somebody waited for in vain. */
function whatFor({ places }: Lane, waitedMs: number, refusedBy: ReadonlySet<string> | undefined): string {
  const what = places.length === 0 ? 'a ready pod' : refusedBy ? 'a pod that takes the connection' : 'room at a pod';
  return `waited ${Math.round(waitedMs / 1_000)} s for ${what}`;
}
