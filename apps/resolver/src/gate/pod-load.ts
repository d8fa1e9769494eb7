import type { LeaseOutcome } from '../exchange';

/** How long a fresh pod has its smallest limit; it doubles after each such time, because held WebSockets never end and the rest must get in, too. */
const freshMs = 2_000;
const mostDoublings = 10;
/** It may be ready a moment before it listens. */
const firstCoolMs = 50;
const longestCoolMs = 2_000;
/** Who has been ready for longer than this and still answers nobody does not answer. */
const startMs = 30_000;

/**
 * What is open at one pod, and how much of what is held it may be given.
 *
 * A pod that refused a connection, or took it and closed it before it ever answered anybody, is left alone for a moment, doubling with
 * each time in a row, and is fresh again after it.
 */
export class PodLoad {
  open = 0;
  /** Pods behind this one: itself, or those of the Service that stands for them all. */
  weight = 1;
  coolUntilMs = Number.NEGATIVE_INFINITY;
  private freshSinceMs: number;
  /** Since it became ready. */
  hasAnswered = false;
  private refusals = 0;

  constructor(
    readonly podKey: string,
    /** When it became ready. */
    public readySinceMs: number,
  ) {
    this.freshSinceMs = readySinceMs;
  }

  isCool(nowMs: number): boolean {
    return nowMs < this.coolUntilMs;
  }

  /**
   * Whether so many more of those that are held fit. What is more than the limit by itself fits where nothing else is open; once the pod has
   * had its first time, all that come together fit where one does, so that nobody waits behind them for long.
   */
  hasRoom(maxConcurrency: number, nowMs: number, exchanges = 1): boolean {
    const limit = maxConcurrency * this.weight;
    if (this.open === 0 || this.open + exchanges <= limit) return true;
    const doublings = Math.min(mostDoublings, Math.floor((nowMs - this.freshSinceMs) / freshMs));
    return doublings > 0 && this.open < limit * 2 ** doublings;
  }

  end(outcome: LeaseOutcome, nowMs: number): void {
    if (outcome === 'done') this.refusals = 0;
    if (outcome !== 'refused' && !(outcome === 'broken' && this.isStarting(nowMs))) return;
    // Of many that were refused at once, one counts.
    if (this.isCool(nowMs)) return;
    this.coolUntilMs = nowMs + Math.min(longestCoolMs, firstCoolMs * 2 ** this.refusals++);
    this.freshSinceMs = this.coolUntilMs;
  }

  isStarting(nowMs: number): boolean {
    return !this.hasAnswered && nowMs - this.readySinceMs < startMs;
  }

  /** It became ready, maybe once more. */
  renew(nowMs: number): void {
    this.readySinceMs = nowMs;
    this.freshSinceMs = nowMs;
    this.coolUntilMs = Number.NEGATIVE_INFINITY;
    this.refusals = 0;
    this.hasAnswered = false;
  }
}
