import type { Clock, Timer } from '@elasti/operator-kit';
import type { Lane, Place } from './lane';
import type { ServiceLanes } from './service-lanes';
import type { Waiter } from './waiter';

/** Let go in one turn of the event loop, unless more have ended; the rest follows in the next ones. The first is on its way only when the turn is over. */
const maxReleasesAtOnce = 20;

/** Who hears of those that are let go. */
export interface ReleaseOwner {
  /** There is room for this one, which leaves its queue with this call. */
  letGo(waiter: Waiter, place: Place): void;
  /** There may be room again for those that were left. */
  onRest(): void;
}

/**
 * Lets those who wait for one Service go: oldest first, also across ports, until there is no room.
 *
 * Never more in one turn of the event loop than leaves the others their time. Those that are left are looked at again by themselves, unless
 * only somebody else's end can make room for them.
 */
export class Release {
  private running = false;
  private rest: Timer | undefined;
  private isDue = false;
  /** Exchanges that have ended since the last run. */
  private ended = 0;

  constructor(
    private readonly lanes: ServiceLanes,
    private readonly clock: Clock,
    private readonly maxConcurrencyPerFreshPod: number,
    private readonly owner: ReleaseOwner,
  ) {}

  close(): void {
    this.rest?.cancel();
  }

  /** False when it is called from inside, by one who was let go and ended at once: it goes on by itself then. */
  run(nowMs: number): boolean {
    if (this.running) return false;
    this.running = true;
    const most = Math.max(maxReleasesAtOnce, this.ended);
    this.ended = 0;
    const lanes = this.lanes.withWaiters();
    for (let released = 0; lanes.length > 0 && released < most;) {
      const lane = lanes.reduce(withOldest);
      if (this.letOneGo(lane, nowMs)) released++;
      else lanes.splice(lanes.indexOf(lane), 1);
    }
    this.running = false;
    if (lanes.length > 0) this.goOnAfter(0);
    else if (!this.rest) this.goOnAfter(this.coolingMs(nowMs));
    return true;
  }

  /**
   * An exchange has ended, so that there may be room for another.
   *
   * Those who end in one turn are followed together when it is over. All answers of a turn go out in a row then, and all requests after them: whoever
   * gets many of either wakes up once for them, and waking another process takes as long as writing to it.
   */
  onEnded(): void {
    this.ended++;
    this.runSoon();
  }

  /** The same in the next turn of the event loop, however many ask for it. */
  runSoon(): void {
    if (!this.isDue) this.goOnAfter(0);
  }

  private letOneGo(lane: Lane, nowMs: number): boolean {
    for (let waiter = lane.waiters.oldest; waiter; waiter = waiter.next) {
      const { not, holder } = waiter;
      const place = lane.leastBusy(nowMs, not, this.maxConcurrencyPerFreshPod, holder.exchanges);
      if (place) {
        this.owner.letGo(waiter, place);
        return true;
      }
      // One that avoids pods where there is room must not hold up those who do not.
      if (!not || !lane.leastBusy(nowMs, undefined, this.maxConcurrencyPerFreshPod, holder.exchanges)) return false;
    }
    return false;
  }

  /** Until a pod that refused may be tried again by one who waits. */
  private coolingMs(nowMs: number): number {
    let untilMs = Infinity;
    for (const lane of this.lanes) if (lane.waiters.oldest) untilMs = Math.min(untilMs, lane.coolUntilMs(nowMs));
    return untilMs - nowMs;
  }

  private goOnAfter(delayMs: number): void {
    if (delayMs === Infinity) return;
    this.rest?.cancel();
    this.isDue = delayMs <= 0;
    this.rest = this.clock.after(delayMs, () => {
      this.rest = undefined;
      this.isDue = false;
      this.owner.onRest();
    });
  }
}

function withOldest(a: Lane, b: Lane): Lane {
  return (a.waiters.oldest?.sinceMs ?? 0) <= (b.waiters.oldest?.sinceMs ?? 0) ? a : b;
}
