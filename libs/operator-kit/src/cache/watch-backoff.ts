import { longestRetryAfterMs } from '../client';
import type { Clock } from '../clock';

const shortestMs = 800;
const longestMs = 30_000;
/** Whom nobody reaches nobody burdens; and those who watch have people waiting for what it brings. */
const longestUnreachableMs = 5_000;
const healthyAfterMs = 120_000;

/**
 * How long to wait after each failure in a row: between 0.8 s and 30 s, doubling, and each wait lengthened by up to
 * as much again at random, so that many watchers of a restarted server do not come back at once.
 * A server that cannot be reached is tried again within 5 s. Two minutes without a failure start it over.
 */
export class WatchBackoff {
  private failures = 0;
  private resumedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  /** The wait before the next try; never shorter than what the server asked for, of which five minutes count. */
  next(failure: 'answered' | 'unreachable' = 'answered', askedMs = 0): number {
    const nowMs = this.clock.monotonic();
    if (nowMs - this.resumedAtMs >= healthyAfterMs) this.failures = 0;

    const limitMs = failure === 'unreachable' ? longestUnreachableMs : longestMs;
    const baseMs = Math.min(limitMs / 2, shortestMs * 2 ** Math.min(this.failures, 10));
    const delayMs = Math.max(Math.min(askedMs, longestRetryAfterMs), baseMs * (1 + this.random()));
    this.failures++;
    this.resumedAtMs = nowMs + delayMs;
    return delayMs;
  }
}
