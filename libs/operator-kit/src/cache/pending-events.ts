import type { KubeObject } from '../client';
import type { CacheEvent } from './lister';

/** What is still to be said about one object: at most a change, and after it a deletion. */
interface Entry<T extends KubeObject> {
  readonly key: string;
  change?: Exclude<CacheEvent<T>, { type: 'deleted' }>;
  deletion?: Extract<CacheEvent<T>, { type: 'deleted' }>;
}

/**
 * The events a handler has not seen yet, oldest first.
 *
 * Up to `coalesceAbove` entries every event is kept as it came. Beyond, an event about an object that has one waiting is folded into it, so a handler that
 * falls behind costs memory for as many objects as there are, not for as many changes. Folding keeps what level-triggered code needs: the last
 * state, the state the handler saw last (`before`), every deletion that was not undone, and the order of events about one object.
 */
export class PendingEvents<T extends KubeObject> {
  private entries: Entry<T>[] = [];
  private taken = 0;
  private readonly newest = new Map<string, Entry<T>>();

  constructor(private readonly coalesceAbove = 1_000) {}

  get size(): number {
    return this.entries.length - this.taken;
  }

  has(key: string): boolean {
    return this.newest.has(key);
  }

  add(key: string, event: CacheEvent<T>): void {
    const waiting = this.newest.get(key);
    if (waiting && this.size >= this.coalesceAbove) return fold(waiting, event);

    const entry: Entry<T> = event.type === 'deleted' ? { key, deletion: event } : { key, change: event };
    this.entries.push(entry);
    this.newest.set(key, entry);
  }

  /** The next entry's events, one or two. */
  take(): CacheEvent<T>[] {
    const entry = this.entries[this.taken];
    if (!entry) return [];
    this.forgetFirst();
    if (this.newest.get(entry.key) === entry) this.newest.delete(entry.key);
    return [entry.change, entry.deletion].filter((event) => event !== undefined);
  }

  clear(): void {
    this.entries = [];
    this.taken = 0;
    this.newest.clear();
  }

  /** Taken entries are cut off in bulk: shifting the array for each would be quadratic. */
  private forgetFirst(): void {
    this.taken++;
    if (this.taken < 1_000 && this.taken < this.entries.length) return;
    this.entries = this.entries.slice(this.taken);
    this.taken = 0;
  }
}

function fold<T extends KubeObject>(entry: Entry<T>, event: CacheEvent<T>): void {
  const { change, deletion } = entry;
  switch (event.type) {
    case 'deleted':
      entry.deletion = event;
      return;
    case 'updated':
      entry.change = change?.type === 'added' ? { ...change, object: event.object } : joined(change, event);
      return;
    case 'added':
      // The deletion that waited is told as the change of uid.
      entry.deletion = undefined;
      if (change?.type === 'updated') entry.change = { ...change, object: event.object, resync: false };
      else if (change || !deletion) entry.change = event;
      else entry.change = { type: 'updated', object: event.object, before: deletion.object, resync: false };
  }
}

function joined<T extends KubeObject>(
  change: Extract<CacheEvent<T>, { type: 'updated' }> | undefined,
  event: Extract<CacheEvent<T>, { type: 'updated' }>,
): CacheEvent<T> & { type: 'updated' } {
  return change ? { ...event, before: change.before, resync: change.resync && event.resync } : event;
}
