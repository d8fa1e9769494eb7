import { type SimClock } from './sim-clock';

/** Time that passes only when told to. */
export class ManualClock implements SimClock {
  private now = Date.parse('2026-01-01T00:00:00Z');
  private readonly timers = new Set<{ atMs: number; run: () => void }>();

  nowMs(): number {
    return this.now;
  }

  get pending(): number {
    return this.timers.size;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.now + delayMs, run };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Runs what is due on the way, each at its time, with what it starts in turn. */
  async advance(byMs: number): Promise<void> {
    const end = this.now + byMs;
    for (;;) {
      // What was just begun gets as far as it can without time.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      const [next] = [...this.timers].filter(({ atMs }) => atMs <= end).sort((one, other) => one.atMs - other.atMs);
      if (!next) break;
      this.timers.delete(next);
      this.now = Math.max(this.now, next.atMs);
      next.run();
    }
    this.now = end;
  }
}
