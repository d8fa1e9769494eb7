import type { Clock } from '../clock';
import { IndexedHeap } from './indexed-heap';

export interface AgingOptions {
  /** A key that waited this long is overdue. */
  overdueMs: number;
  /** While a key is overdue, one of this many hand-outs goes to the longest waiting one. */
  oneIn: number;
}

export interface ReadyKey<K> {
  readonly id: string;
  readonly key: K;
  readonly priority: number;
  readonly sinceMs: number;
}

interface Waiting<K> extends ReadyKey<K> {
  readonly order: number;
}

/**
 * Keys that may be taken: higher priority first, first come first served within one.
 *
 * Overdue keys get a share of the hand-outs, so that no load of higher priority starves them, and yet a long backlog of
 * low-priority keys delays an urgent one by a fraction only.
 */
export class ReadyKeys<K> {
  private readonly byId = new Map<string, Waiting<K>>();
  private readonly byPriority = new IndexedHeap<Waiting<K>>((a, b) =>
    a.priority === b.priority ? a.order < b.order : a.priority > b.priority,
  );
  private readonly byAge = new IndexedHeap<Waiting<K>>((a, b) => a.order < b.order);
  private nextOrder = 0;
  private passedOver = 0;

  constructor(
    private readonly clock: Clock,
    private readonly aging: AgingOptions,
  ) {}

  get size(): number {
    return this.byId.size;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  put(key: ReadyKey<K>): void {
    const waiting = { ...key, order: this.nextOrder++ };
    this.byId.set(key.id, waiting);
    this.byPriority.push(waiting);
    this.byAge.push(waiting);
  }

  /** A raised key goes behind those that have the higher priority already; a lower priority changes nothing. */
  raise(id: string, priority: number): void {
    const waiting = this.byId.get(id);
    if (!waiting || waiting.priority >= priority) return;

    this.remove(waiting);
    this.put({ id, key: waiting.key, priority, sinceMs: waiting.sinceMs });
  }

  take(): ReadyKey<K> | undefined {
    const taken = this.next();
    if (taken) this.remove(taken);
    return taken;
  }

  private next(): Waiting<K> | undefined {
    const first = this.byPriority.peek();
    const oldest = this.byAge.peek();
    if (!oldest || oldest === first || this.clock.monotonic() - oldest.sinceMs < this.aging.overdueMs) return first;

    this.passedOver = (this.passedOver + 1) % this.aging.oneIn;
    return this.passedOver === 0 ? oldest : first;
  }

  private remove(waiting: Waiting<K>): void {
    this.byId.delete(waiting.id);
    this.byPriority.remove(waiting);
    this.byAge.remove(waiting);
  }
}
