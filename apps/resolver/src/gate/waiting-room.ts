import type { KnownService, ServiceRef } from '../directory';
import { GateError, type GateRefusal, type Held } from '../exchange';
import type { GateConfig } from './gate.config';
import type { GateDependencies, HoldEnd } from './gate-dependencies';
import type { HeldTotals } from './held-totals';
import type { Lane } from './lane';
import type { ServiceLanes } from './service-lanes';
import type { Waiter } from './waiter';

export const nobodySpeaks = 'no ElastiService speaks for the Service';
const retryAfterSeconds = 5;

/** What bounds a waiting room, and who hears of it. */
export interface RoomHost {
  readonly config: GateConfig;
  readonly dependencies: Pick<GateDependencies, 'observer'>;
  readonly totals: HeldTotals;
}

/**
 * Who waits for one Service, within its own bounds and those of all Services together.
 *
 * The counts come back to zero when nobody waits. Everybody who is removed or refused is told of, once.
 */
export class WaitingRoom {
  /** Requests that wait. */
  held = 0;
  private bytesHeld = 0;

  constructor(
    private readonly ref: ServiceRef,
    private readonly lanes: ServiceLanes,
    private readonly host: RoomHost,
  ) {}

  add(waiter: Waiter): void {
    waiter.lane.waiters.add(waiter);
    this.lanes.keep(waiter.lane);
    this.held++;
    this.bytesHeld += waiter.bytes;
    this.host.totals.add(waiter.bytes);
  }

  remove(waiter: Waiter, end: HoldEnd, nowMs: number): void {
    waiter.lane.waiters.remove(waiter);
    this.lanes.release(waiter.lane);
    this.held--;
    this.bytesHeld -= waiter.bytes;
    this.host.totals.remove(waiter.bytes);
    this.host.dependencies.observer?.ended(this.ref, end, nowMs - waiter.sinceMs);
  }

  /**
   * Why one of this size may not wait here; undefined when it may.
   *
   * One that was let go and comes back was counted before: those who came after it have its place by now, and must not be the reason to lose it. So
   * more than the bounds may wait, by as many as are under way to pods.
   */
  reasonAgainst({ port, wakes }: Lane, { bytesHeld: bytes, wasLetGo }: Held, known: KnownService | undefined): GateError | undefined {
    if (!known) return this.refuse(port, 'unknown', nobodySpeaks);
    if (!wakes) return this.refuse(port, 'not waking', 'no pod is ready, and a request to this port wakes none');
    if (wasLetGo) return undefined;

    const { config, totals } = this.host;
    const { maxRequests = config.maxRequestsPerService, maxBytes = config.maxBytesPerService } = known;
    if (this.held >= maxRequests) return this.refuse(port, 'queue full', `${maxRequests} requests wait for the Service already`);
    if (this.bytesHeld + bytes > maxBytes) {
      return this.refuse(port, 'queue full', `requests of ${maxBytes} bytes wait for the Service already`);
    }
    const fits = totals.requests < config.maxRequests && totals.bytes + bytes <= config.maxBytes;
    return fits ? undefined : this.refuse(port, 'queue full', 'too many requests wait here already');
  }

  /** What is said to one who gets no pod. */
  refuse(port: number, reason: GateRefusal, detail: string): GateError {
    const { namespace, service } = this.ref;
    this.host.dependencies.observer?.refused?.(this.ref, reason);
    const isForNow = reason === 'queue full' || reason === 'not waking';
    return new GateError(reason, { namespace, service, port }, detail, isForNow ? retryAfterSeconds : undefined);
  }
}
