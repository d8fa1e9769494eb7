import type { Timer } from '@elasti/operator-kit';
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
import type { GateConfig } from './gate.config';
import type { GateDependencies, HoldEnd } from './gate-dependencies';
import type { HeldTotals } from './held-totals';
import type { Lane, Place } from './lane';
import { Lease, type LeaseKind, type LeaseOwner } from './lease';
import type { PodLoad } from './pod-load';
import { ServiceLanes } from './service-lanes';
import { Waiter } from './waiter';
import { WakeWish } from './wake-wish';

export const nobodySpeaks = 'no ElastiService speaks for the Service';
const retryAfterSeconds = 5;
/** Let go in one turn of the event loop; the rest follows in the next ones. The first is on its way only when the turn is over. */
const maxReleasesAtOnce = 20;
/** An ElastiService that is replaced is back within this time. */
const replacedWithinMs = 5_000;

/** What a gate tells those who share its bookkeeping. */
export interface GateHost {
  readonly config: GateConfig;
  readonly dependencies: GateDependencies;
  readonly totals: HeldTotals;
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
export class ServiceGate implements LeaseOwner {
  readonly namespace: string;
  readonly service: string;
  /** Requests that wait. */
  held = 0;
  /** Exchanges and held requests that count as activity. */
  open = 0;
  lastRequestMs: number | undefined;

  private leases = 0;
  private bytesHeld = 0;
  private known: KnownService | undefined;
  /** Since when no ElastiService speaks for it; of no meaning while one does. */
  private unknownSinceMs = 0;
  private lettingGo = false;
  private rest: Timer | undefined;
  private readonly wish: WakeWish;
  private readonly lanes: ServiceLanes;
  private readonly stopListening: (() => void)[];

  constructor(
    ref: ServiceRef,
    private readonly host: GateHost,
  ) {
    this.namespace = ref.namespace;
    this.service = ref.service;
    this.lanes = new ServiceLanes(ref);
    this.wish = new WakeWish(this, host.dependencies.waker, () => this.nowMs());
    const { directory, services, pods } = host.dependencies;
    this.stopListening = [directory, services, pods].map((source) => source.watch(this, () => this.refresh()));
    this.refresh();
  }

  get isForgettable(): boolean {
    return !this.known && this.held === 0 && this.leases === 0 && !this.lanes.hasPods;
  }

  /** Whether time has to pass for something here. */
  get isWaiting(): boolean {
    return this.held > 0 || this.wish.isNudged;
  }

  close(): void {
    for (const stop of this.stopListening) stop();
    this.rest?.cancel();
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
    const timeoutMs = this.known?.requestTimeoutMs ?? this.host.config.requestTimeoutMs;
    for (const lane of this.lanes) {
      for (let waiter = lane.waiters.oldest; waiter && nowMs - waiter.sinceMs >= timeoutMs; waiter = lane.waiters.oldest) {
        const waitedS = Math.round((nowMs - waiter.sinceMs) / 1_000);
        this.fail(waiter, 'timed out', `waited ${waitedS} s for ${lane.places.length > 0 ? 'room at a pod' : 'a ready pod'}`);
      }
    }
    this.wish.tick(nowMs);
    this.letGo(nowMs);
    this.updateWish();
  }

  touched(kind: LeaseKind): void {
    if (kind === 'activity') this.lastRequestMs = this.nowMs();
  }

  ended(load: PodLoad, kind: LeaseKind, outcome: LeaseOutcome): void {
    const nowMs = this.nowMs();
    load.end(outcome, nowMs);
    this.leases--;
    if (kind === 'activity') this.open--;
    if (load.open === 0) this.lanes.forgetIfIdle(load);
    if (this.held > 0) this.letGo(nowMs);
    else if (this.leases === 0) this.host.idle(this);
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
    this.letGo(nowMs);
    this.updateWish();
    if (this.held === 0 && this.leases === 0) this.host.idle(this);
  }

  private admit(port: number, held: Held, holder: Holder): Lease | Waiter | GateError {
    const nowMs = this.nowMs();
    const lane = this.lanes.find(port);
    if (!lane) return this.refusal(port, 'unknown', `the Service has no TCP port ${port}`);

    // Those who wait come first, but a port that wakes nothing does not wait with them.
    const place = lane.waiters.oldest && lane.wakes ? undefined : lane.leastBusy(nowMs, held.not);
    if (place) return this.arrive(place, lane, nowMs);
    if (lane.wakes) this.lastRequestMs = nowMs;
    return this.reasonNotToHold(lane, held.bytesHeld) ?? this.queue(lane, held, holder, nowMs);
  }

  private arrive(place: Place, lane: Lane, nowMs: number): Lease {
    if (lane.wakes) {
      this.open++;
      this.lastRequestMs = nowMs;
    }
    return this.lease(place, lane.wakes ? 'activity' : 'not activity', undefined);
  }

  private lease(place: Place, kind: LeaseKind, waitedFor: WaitedFor | undefined): Lease {
    place.load.open++;
    this.leases++;
    return new Lease(this, place, kind, waitedFor);
  }

  private queue(lane: Lane, { bytesHeld, not, waitedMs = 0 }: Held, holder: Holder, nowMs: number): Waiter {
    // One that comes back keeps its deadline and stands before those who came after it.
    const waiter = new Waiter(lane, nowMs - waitedMs, bytesHeld, not, holder, this);
    lane.waiters.add(waiter);
    this.lanes.keep(lane);
    this.held++;
    this.open++;
    this.bytesHeld += bytesHeld;
    this.host.totals.add(bytesHeld);
    this.host.holding(this);
    this.updateWish();
    // There may be room in spite of those who wait: they avoid the pods that have it.
    if (lane.places.length > 0) this.letGo(nowMs);
    return waiter;
  }

  abandon(waiter: Waiter): void {
    this.remove(waiter, 'left');
    this.settle();
  }

  private fail(waiter: Waiter, reason: GateRefusal, detail: string): void {
    this.remove(waiter, reason);
    waiter.holder.refused(this.refusal(waiter.lane.port, reason, detail));
    this.settle();
  }

  /** Nobody wakes their pods any more, and an early answer lets them ask again where the Service leads now. */
  private turnAllAway(): void {
    for (const lane of [...this.lanes]) this.failAll(lane, nobodySpeaks);
  }

  private failAll(lane: Lane, detail: string): void {
    for (let waiter = lane.waiters.oldest; waiter; waiter = lane.waiters.oldest) this.fail(waiter, 'unknown', detail);
  }

  /** Oldest first, also across ports, until there is no room. */
  private letGo(nowMs: number): void {
    // A holder that ends its exchange at once gets here from inside: the loop below goes on by itself then.
    if (this.held === 0 || this.lettingGo) return;
    this.lettingGo = true;
    const lanes = this.lanes.withWaiters();
    for (let released = 0; lanes.length > 0 && released < maxReleasesAtOnce;) {
      const lane = lanes.reduce(withOldest);
      if (this.letOneGo(lane, nowMs)) released++;
      else lanes.splice(lanes.indexOf(lane), 1);
    }
    this.lettingGo = false;
    if (lanes.length > 0) this.letMoreGoAfter(0);
    else if (this.held > 0 && !this.rest) this.letMoreGoAfter(this.coolingMs(nowMs));
    this.settle();
  }

  /** Until a pod that refused may be tried again by one who waits. */
  private coolingMs(nowMs: number): number {
    let untilMs = Infinity;
    for (const lane of this.lanes) if (lane.waiters.oldest) untilMs = Math.min(untilMs, lane.coolUntilMs(nowMs));
    return untilMs - nowMs;
  }

  private letMoreGoAfter(delayMs: number): void {
    if (delayMs === Infinity) return;
    this.rest?.cancel();
    this.rest = this.host.dependencies.clock.after(delayMs, () => {
      this.rest = undefined;
      this.letGo(this.nowMs());
    });
  }

  private letOneGo(lane: Lane, nowMs: number): boolean {
    for (let waiter = lane.waiters.oldest; waiter; waiter = waiter.next) {
      const place = lane.leastBusy(nowMs, waiter.not, this.host.config.maxConcurrencyPerFreshPod);
      if (place) {
        this.remove(waiter, 'entered');
        this.open++;
        waiter.holder.entered(this.lease(place, 'activity', this.waitedFor(place)));
        return true;
      }
      // One that avoids certain pods must not hold up those who do not.
      if (!waiter.not) return false;
    }
    return false;
  }

  private waitedFor({ load }: Place): WaitedFor {
    const { acceptedAtMs: wakeAcceptedAtMs } = this.wish;
    return { readyAtMs: load.readySinceMs, ...(wakeAcceptedAtMs !== undefined && { wakeAcceptedAtMs }) };
  }

  private remove(waiter: Waiter, end: HoldEnd): void {
    waiter.lane.waiters.remove(waiter);
    this.lanes.release(waiter.lane);
    this.held--;
    this.open--;
    this.bytesHeld -= waiter.bytes;
    this.host.totals.remove(waiter.bytes);
    this.host.dependencies.observer?.ended(this, end, this.nowMs() - waiter.sinceMs);
  }

  private settle(): void {
    this.updateWish();
    if (this.held === 0 && this.leases === 0) this.host.idle(this);
  }

  private updateWish(): void {
    this.wish.update(this.lanes.readyPods);
  }

  private reasonNotToHold({ port, wakes }: Lane, bytes: number): GateError | undefined {
    if (!this.known) return this.refusal(port, 'unknown', nobodySpeaks);
    if (!wakes) return this.refusal(port, 'not waking', 'no pod is ready, and a request to this port wakes none');

    const { config, totals } = this.host;
    const { maxRequests = config.maxRequestsPerService, maxBytes = config.maxBytesPerService } = this.known;
    if (this.held >= maxRequests) return this.refusal(port, 'queue full', `${maxRequests} requests wait for the Service already`);
    if (this.bytesHeld + bytes > maxBytes)
      return this.refusal(port, 'queue full', `requests of ${maxBytes} bytes wait for the Service already`);
    const fits = totals.requests < config.maxRequests && totals.bytes + bytes <= config.maxBytes;
    return fits ? undefined : this.refusal(port, 'queue full', 'too many requests wait here already');
  }

  private refusal(port: number, reason: GateRefusal, detail: string): GateError {
    const target = { namespace: this.namespace, service: this.service, port };
    this.host.dependencies.observer?.refused?.(this, reason);
    return new GateError(reason, target, detail, reason === 'queue full' || reason === 'not waking' ? retryAfterSeconds : undefined);
  }

  private nowMs(): number {
    return this.host.dependencies.clock.monotonic();
  }
}

function withOldest(a: Lane, b: Lane): Lane {
  return (a.waiters.oldest?.sinceMs ?? 0) <= (b.waiters.oldest?.sinceMs ?? 0) ? a : b;
}
