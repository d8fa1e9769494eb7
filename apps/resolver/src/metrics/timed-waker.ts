import type { Clock } from '@elasti/operator-kit';
import type { ServiceRef } from '../directory';
import type { ReadyPods } from '../endpoints';
import type { WakeDemand, Waker } from '../wake';

/** Tells how long wakes took: from when a Service was wanted to when it has a ready pod. One whose clients all left is not told of. */
export class TimedWaker implements Waker {
  private readonly wantedAtMs = new Map<WakeDemand, number>();

  constructor(
    private readonly waker: Waker,
    private readonly pods: Pick<ReadyPods, 'of'>,
    private readonly meter: { woken(service: ServiceRef, tookMs: number): void },
    private readonly clock: Clock,
  ) {}

  want(demand: WakeDemand): void {
    if (!this.wantedAtMs.has(demand)) this.wantedAtMs.set(demand, this.clock.monotonic());
    this.waker.want(demand);
  }

  satisfied(demand: WakeDemand): void {
    const sinceMs = this.wantedAtMs.get(demand);
    this.wantedAtMs.delete(demand);
    if (sinceMs !== undefined && this.pods.of(demand).length > 0) this.meter.woken(demand, this.clock.monotonic() - sinceMs);
    this.waker.satisfied(demand);
  }
}
