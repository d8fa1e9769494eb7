import type { Clock } from '@elasti/operator-kit';

const MOST = 2_000;
const REFILL_PER_MS = 1;

/**
 * Tells a flood from a busy connection: frames that carry nothing are paid for, by time and by frames that carry something.
 *
 * A peer may well send as many pings as it gets data, and cancel a stream now and then; it cannot live on that.
 */
export class FloodGuard {
  private left = MOST;
  private paidAtMs: number;

  constructor(private readonly clock: Clock) {
    this.paidAtMs = clock.monotonic();
  }

  /** A frame that carries nothing. False: it is a flood. */
  spend(): boolean {
    if (this.left <= 0) this.refill();
    return this.left-- > 0;
  }

  /** A frame that carries something. */
  earn(): void {
    if (this.left < MOST) this.left++;
  }

  private refill(): void {
    const nowMs = this.clock.monotonic();
    this.left = Math.min(MOST, this.left + Math.floor((nowMs - this.paidAtMs) * REFILL_PER_MS));
    this.paidAtMs = nowMs;
  }
}
