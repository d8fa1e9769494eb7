import type { Clock } from '../clock';

/** Lets `burst` through at once and one more every `refillMs`. */
export class TokenBucket {
  private tokens: number;
  private filledAtMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly burst: number,
    private readonly refillMs: number,
  ) {
    this.tokens = burst;
    this.filledAtMs = clock.monotonic();
  }

  tryTake(): boolean {
    const nowMs = this.clock.monotonic();
    this.tokens = Math.min(this.burst, this.tokens + (nowMs - this.filledAtMs) / this.refillMs);
    this.filledAtMs = nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
