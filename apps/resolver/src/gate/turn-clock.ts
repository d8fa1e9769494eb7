import type { Clock, Timer } from '@elasti/operator-kit';

/**
 * Reads the monotonic time once for each turn of the event loop: reading it for every request would cost more than choosing a pod.
 *
 * Late by no more than a turn lasts.
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
    return this.clock.after(delayMs, callback);
  }
}
