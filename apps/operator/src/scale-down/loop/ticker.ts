import type { SchedulerRegistry } from '@nestjs/schedule';

/** What makes the loop go round again and again. */
export abstract class Ticker {
  /** Ticks after each interval until it is cancelled. */
  abstract every(intervalMs: number, tick: () => void): { cancel(): void };
}

const intervalName = 'idle loop';
/** Node takes a longer one for no time at all. */
const longestIntervalMs = 2 ** 31 - 1;

/** Ticks by an interval that everyone can find in the application's schedule, and that ends with the application at the latest. */
export class ScheduledTicker extends Ticker {
  constructor(private readonly registry: SchedulerRegistry) {
    super();
  }

  every(intervalMs: number, tick: () => void): { cancel(): void } {
    const interval = setInterval(tick, Math.min(intervalMs, longestIntervalMs));
    interval.unref();
    this.registry.addInterval(intervalName, interval);
    return {
      cancel: () => {
        clearInterval(interval);
        if (this.registry.doesExist('interval', intervalName)) this.registry.deleteInterval(intervalName);
      },
    };
  }
}
