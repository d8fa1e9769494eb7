import type { Clock, Timer } from '../clock';
import { IndexedHeap } from './indexed-heap';

export interface DelayedKey<K> {
  readonly id: string;
  readonly key: K;
  readonly priority: number;
}

interface Delayed<K> extends DelayedKey<K> {
  readonly dueMs: number;
  readonly order: number;
}

/** Keys that are not ready yet, each held once and let go in the order of their ready times. At most one timer is set, none when empty. */
export class DelayedKeys<K> {
  private readonly byId = new Map<string, Delayed<K>>();
  private readonly byDue = new IndexedHeap<Delayed<K>>((a, b) => (a.dueMs === b.dueMs ? a.order < b.order : a.dueMs < b.dueMs));
  private nextOrder = 0;
  private timer: Timer | undefined;
  private timedFor: Delayed<K> | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly release: (key: DelayedKey<K>) => void,
  ) {}

  /** Of two delays for one key the earlier wins, and of two priorities the higher. */
  put(key: DelayedKey<K>, delayMs: number): void {
    const dueMs = this.clock.monotonic() + delayMs;
    const current = this.byId.get(key.id);
    if (current) this.remove(current);

    const delayed = {
      ...key,
      priority: Math.max(key.priority, current?.priority ?? key.priority),
      dueMs: Math.min(dueMs, current?.dueMs ?? dueMs),
      order: this.nextOrder++,
    };
    this.byId.set(key.id, delayed);
    this.byDue.push(delayed);
    this.setTimer();
  }

  take(id: string): DelayedKey<K> | undefined {
    const delayed = this.byId.get(id);
    if (!delayed) return undefined;

    this.remove(delayed);
    this.setTimer();
    return delayed;
  }

  clear(): void {
    this.byId.clear();
    this.byDue.clear();
    this.setTimer();
  }

  private setTimer(): void {
    const next = this.byDue.peek();
    if (next && next === this.timedFor) return;

    this.timer?.cancel();
    this.timedFor = next;
    // Time passes between looking and setting, so the rest may be negative by now.
    const delayMs = next ? Math.max(0, next.dueMs - this.clock.monotonic()) : 0;
    this.timer = next && this.clock.after(delayMs, () => this.releaseDue());
  }

  private releaseDue(): void {
    this.timedFor = undefined;
    for (let next = this.byDue.peek(); next && next.dueMs <= this.clock.monotonic(); next = this.byDue.peek()) {
      this.remove(next);
      this.release(next);
    }
    this.setTimer();
  }

  private remove(delayed: Delayed<K>): void {
    this.byId.delete(delayed.id);
    this.byDue.remove(delayed);
  }
}
