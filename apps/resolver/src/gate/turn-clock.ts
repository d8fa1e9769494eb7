import type { Clock, Timer } from '@elasti/operator-kit';

/**
 * Reads the monotonic time once for each turn of the event loop: reading it for every request would cost more than choosing a pod.
 *
 * Late by no more than a turn lasts. What comes after no time at all comes when the turn is over, and not a millisecond later, as timers do.
 */
export class TurnClock implements Clock {
  private readMs: number | undefined;

  constructor(private readonly clock: Clock) {}

  now(): number {
    return this.clock.now();
  }

  monotonic(): number {
    if (this.readMs !== undefined) return this.readMs;
    setImmediate(() => (this.readMs = undefined));
    return (this.readMs = this.clock.monotonic());
  }

  after(delayMs: number, callback: () => void): Timer {
    if (delayMs > 0) return this.clock.after(delayMs, callback);
    const turn = setImmediate(callback);
    return { cancel: () => clearImmediate(turn) };
  }
}
