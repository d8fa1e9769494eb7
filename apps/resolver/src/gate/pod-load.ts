import type { LeaseOutcome } from '../exchange';

/** How long a fresh pod has its smallest limit; it doubles after each such time, because held WebSockets never end and the rest must get in, too. */
const freshMs = 2_000;
const mostDoublings = 10;
/** It may be ready a moment before it listens. */
const firstCoolMs = 50;
const longestCoolMs = 2_000;

/**
 * What is open at one pod, and how much of what is held it may be given.
 *
 * A pod that refused a connection is left alone for a moment, doubling with each refusal in a row, and is fresh again after it.
 */
export class PodLoad {
  open = 0;
  /** Pods behind this one: itself, or those of the Service that stands for them all. */
  weight = 1;
  coolUntilMs = Number.NEGATIVE_INFINITY;
  private freshSinceMs: number;
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

  /** Whether one more of those that are held fits. */
  hasRoom(maxConcurrency: number, nowMs: number): boolean {
    if (this.open < maxConcurrency * this.weight) return true;
    const doublings = Math.min(mostDoublings, Math.floor((nowMs - this.freshSinceMs) / freshMs));
    return this.open < maxConcurrency * this.weight * 2 ** Math.max(0, doublings);
  }

  end(outcome: LeaseOutcome, nowMs: number): void {
    this.open--;
    if (outcome === 'done') this.refusals = 0;
    if (outcome !== 'refused') return;
    // Of many that were refused at once, one counts.
    if (this.isCool(nowMs)) return;
    this.coolUntilMs = nowMs + Math.min(longestCoolMs, firstCoolMs * 2 ** this.refusals++);
    this.freshSinceMs = this.coolUntilMs;
  }

  /** It became ready, maybe once more. */
  renew(nowMs: number): void {
    this.readySinceMs = nowMs;
    this.freshSinceMs = nowMs;
    this.coolUntilMs = Number.NEGATIVE_INFINITY;
    this.refusals = 0;
  }
}
