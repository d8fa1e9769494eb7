import type { PodLoad } from './pod-load';
import { WaiterQueue } from './waiter';

/** Where a request to one port of a Service may go. */
export interface Place {
  readonly load: PodLoad;
  readonly address: string;
  readonly port: number;
}

/** One port of a Service: the pods that have it, and who waits for them. */
export class Lane {
  readonly waiters = new WaiterQueue();
  places: readonly Place[] = [];
  /** Whether a request here wakes the Service and counts as activity. */
  wakes = true;
  /** Where the next search begins, so that pods with equally much to do take turns. */
  private turn = 0;

  constructor(readonly port: number) {}

  /** When the first of the places that are left alone may be tried again; `Infinity` when there is none. */
  coolUntilMs(nowMs: number): number {
    return this.places.reduce((soonest, { load }) => (load.isCool(nowMs) ? Math.min(soonest, load.coolUntilMs) : soonest), Infinity);
  }

  /**
   * The place with the fewest open exchanges, without those that cool, and without those in `not` unless all are:
   * one that was refused everywhere may go anywhere again, and the cooling keeps it from trying in a circle.
   */
  leastBusy(nowMs: number, not?: ReadonlySet<string>, maxConcurrency = Number.POSITIVE_INFINITY, exchanges = 1): Place | undefined {
    const { places } = this;
    const { length } = places;
    const avoid = not && places.some(({ load }) => !not.has(load.podKey)) ? not : undefined;
    let best: Place | undefined;
    for (let step = 0; step < length; step++) {
      const place = places[(this.turn + step) % length];
      if (!place || (best && place.load.open >= best.load.open)) continue;
      if (place.load.isCool(nowMs) || avoid?.has(place.load.podKey) || !place.load.hasRoom(maxConcurrency, nowMs, exchanges)) continue;
      best = place;
      if (place.load.open === 0) break;
    }
    if (best) this.turn = (this.turn + 1) % length;
    return best;
  }
}
