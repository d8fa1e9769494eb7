import type { Clock, Timer } from '@elasti/operator-kit';

/** Something with a time limit. Changing the limit costs one assignment, so it may change with every request. */
export interface Expiring {
  /** A moment from `Deadlines.after`, or `NEVER`. */
  expiresAtTick: number;
  onExpired(): void;
}

export const NEVER = Infinity;

/**
 * The time limits of all connections on one timer, coarse on purpose: a timer per request would cost more than the request.
 *
 * Never early, and late by up to two ticks and by as much as the process itself is. There is no timer while nothing is watched.
 */
export class Deadlines {
  private readonly watched = new Set<Expiring>();
  private tick = 0;
  private timer: Timer | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly tickMs: number,
  ) {}

  /** The moment that lies this far ahead. */
  after(delayMs: number): number {
    return this.tick + Math.ceil(delayMs / this.tickMs) + 1;
  }

  hasPassed(tick: number): boolean {
    return tick <= this.tick;
  }

  watch(item: Expiring): void {
    this.watched.add(item);
    this.timer ??= this.clock.after(this.tickMs, () => this.advance());
  }

  unwatch(item: Expiring): void {
    this.watched.delete(item);
    if (this.watched.size > 0) return;
    this.timer?.cancel();
    this.timer = undefined;
  }

  private advance(): void {
    this.tick++;
    this.timer = undefined;
    for (const item of this.watched) {
      if (item.expiresAtTick > this.tick) continue;
      item.expiresAtTick = NEVER;
      item.onExpired();
    }
    if (this.watched.size > 0) this.timer ??= this.clock.after(this.tickMs, () => this.advance());
  }
}
