import type { Clock, Timer } from '../clock';

interface Pending {
  dueMs: number;
  order: number;
  callback: () => void;
}

/**
 * A clock that stands still until a test moves it.
 *
 * `advance` fires due timers in order, letting pending promises run before, between and after them.
 */
export class FakeClock implements Clock {
  private readonly pending = new Set<Pending>();
  private monotonicMs = 0;
  private order = 0;

  constructor(private readonly startMs = Date.UTC(2030, 0, 1)) {}

  now(): number {
    return this.startMs + this.monotonicMs;
  }

  monotonic(): number {
    return this.monotonicMs;
  }

  after(delayMs: number, callback: () => void): Timer {
    const entry: Pending = { dueMs: this.monotonicMs + Math.max(0, delayMs), order: this.order++, callback };
    this.pending.add(entry);
    return { cancel: () => void this.pending.delete(entry) };
  }

  /** Timers that are set and neither fired nor cancelled. */
  get pendingTimers(): number {
    return this.pending.size;
  }

  /** The delay until the next timer, or undefined when none is set. */
  get nextDelayMs(): number | undefined {
    const next = this.next();
    return next && next.dueMs - this.monotonicMs;
  }

  async advance(byMs: number): Promise<void> {
    const endMs = this.monotonicMs + byMs;
    await settle();
    for (let next = this.next(); next && next.dueMs <= endMs; next = this.next()) {
      this.pending.delete(next);
      this.monotonicMs = Math.max(this.monotonicMs, next.dueMs);
      next.callback();
      await settle();
    }
    this.monotonicMs = endMs;
  }

  private next(): Pending | undefined {
    let first: Pending | undefined;
    for (const entry of this.pending) {
      if (!first || entry.dueMs < first.dueMs || (entry.dueMs === first.dueMs && entry.order < first.order)) first = entry;
    }
    return first;
  }
}

/** Lets everything that is ready to run, run: promise chains and immediates, but no I/O and no timer. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
