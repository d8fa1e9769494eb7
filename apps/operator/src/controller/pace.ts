import type { Clock } from '@elasti/operator-kit';

/**
 * Lets one after the other pass, at most so many a second, also at the beginning.
 *
 * Everyone who asks gets a place in the line and need not come again before its turn; `forget` gives it back.
 */
export class Pace {
  private readonly intervalMs: number;
  /** When the turn of each one in the line comes, at the earliest. */
  private readonly turnsMs = new Map<string, number>();
  private lastTurnMs = -Infinity;
  private lastPassedMs = -Infinity;

  constructor(
    perSecond: number,
    private readonly clock: Clock,
  ) {
    this.intervalMs = 1_000 / perSecond;
  }

  /** How long to wait before asking again; 0: go on, and it counts. */
  waitMs(key: string): number {
    const nowMs = this.clock.monotonic();
    const turnMs = Math.max(this.turnsMs.get(key) ?? this.join(key, nowMs), this.lastPassedMs + this.intervalMs);
    if (turnMs > nowMs) return Math.ceil(turnMs - nowMs);
    this.lastPassedMs = nowMs;
    this.forget(key);
    return 0;
  }

  forget(key: string): void {
    this.turnsMs.delete(key);
    if (this.turnsMs.size === 0) this.lastTurnMs = this.lastPassedMs;
  }

  private join(key: string, nowMs: number): number {
    this.lastTurnMs = Math.max(nowMs, this.lastTurnMs + this.intervalMs);
    this.turnsMs.set(key, this.lastTurnMs);
    return this.lastTurnMs;
  }
}
