import type { Clock } from '@elasti/operator-kit';

/** At most so many a second, also at the beginning. */
export class Pace {
  private tokens: number;
  private filledMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly clock: Clock,
  ) {
    this.tokens = perSecond;
    this.filledMs = clock.monotonic();
  }

  /** How long to wait before asking again; 0: go on, and it counts. */
  waitMs(): number {
    const nowMs = this.clock.monotonic();
    this.tokens = Math.min(this.perSecond, this.tokens + ((nowMs - this.filledMs) / 1000) * this.perSecond);
    this.filledMs = nowMs;
    if (this.tokens < 1) return Math.ceil(((1 - this.tokens) / this.perSecond) * 1000);
    this.tokens -= 1;
    return 0;
  }
}
