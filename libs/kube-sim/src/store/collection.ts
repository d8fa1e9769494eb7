import { CompactedError } from './store.errors';
import { type StoredObject } from './stored-object';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change of one object. `object` is the new state, or for a deletion the last state at the deletion's version. */
export interface Change {
  readonly type: ChangeType;
  readonly resourceVersion: number;
  readonly object: StoredObject;
  readonly previous?: StoredObject;
}

export type ChangeListener = (change: Change) => void;

/**
 * All objects of one resource in key order, with the recent changes that led there.
 *
 * Guarantees that listeners hear every change once, in order, and that a past state can be read as long as the
 * changes since then are kept. Older changes fall off when the limit is reached or on compaction.
 */
export class Collection {
  private readonly objects = new Map<string, StoredObject>();
  private readonly keys: string[] = [];
  private history: Change[] = [];
  private historyStart = 0;
  private compactedAt: number;
  private readonly listeners = new Set<ChangeListener>();

  constructor(
    readonly id: string,
    private readonly historyLimit: number,
    startVersion: number,
  ) {
    this.compactedAt = startVersion;
  }

  get size(): number {
    return this.objects.size;
  }

  get(key: string): StoredObject | undefined {
    return this.objects.get(key);
  }

  values(): IterableIterator<StoredObject> {
    return this.objects.values();
  }

  apply(change: Change): void {
    const { key } = change.object;
    if (change.type === 'DELETED') this.removeKey(key);
    else {
      if (!this.objects.has(key)) this.insertKey(key);
      this.objects.set(key, change.object);
    }
    this.history.push(change);
    this.trimHistory();
    for (const listener of [...this.listeners]) listener(change);
  }

  /** Objects in key order that start with the prefix and come at or after `from`, as of now. */
  *inOrder(prefix: string, from: string): Generator<StoredObject> {
    for (let index = this.indexOf(from > prefix ? from : prefix); index < this.keys.length; index++) {
      const key = this.keys[index];
      if (!key?.startsWith(prefix)) return;
      const object = this.objects.get(key);
      if (object) yield object;
    }
  }

  /** The same, as it was at a past version. @throws CompactedError when that version is gone. */
  *inOrderAt(version: number, prefix: string, from: string): Generator<StoredObject> {
    const since = this.changesSince(version);
    if (since.length === 0) {
      yield* this.inOrder(prefix, from);
      return;
    }
    const before = new Map<string, StoredObject | undefined>();
    for (let index = since.length - 1; index >= 0; index--) {
      const change = since[index];
      if (change) before.set(change.object.key, change.previous);
    }
    const extra = [...before.entries()].filter(([key, past]) => past && !this.objects.has(key) && key.startsWith(prefix) && key >= from);
    const merged = [...this.inOrder(prefix, from)].filter((object) => !before.has(object.key) || before.get(object.key));
    const past = merged.map((object) => before.get(object.key) ?? object);
    for (const [, object] of extra) if (object) past.push(object);
    past.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
    yield* past;
  }

  /** Every kept change after a version. @throws CompactedError when some of them are gone. */
  changesSince(version: number): Change[] {
    if (version < this.compactedAt) throw new CompactedError(version, this.compactedAt);
    let low = this.historyStart;
    let high = this.history.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.history[middle]?.resourceVersion ?? Infinity) <= version) low = middle + 1;
      else high = middle;
    }
    return this.history.slice(low);
  }

  listen(listener: ChangeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets the changes up to and including a version. */
  compact(version: number): void {
    this.history = this.history.slice(this.historyStart).filter((change) => change.resourceVersion > version);
    this.historyStart = 0;
    this.compactedAt = Math.max(this.compactedAt, version);
  }

  private trimHistory(): void {
    while (this.history.length - this.historyStart > this.historyLimit) {
      this.compactedAt = this.history[this.historyStart]?.resourceVersion ?? this.compactedAt;
      this.historyStart++;
    }
    // The dropped front is cut off in large steps, so that dropping one change costs nothing.
    if (this.historyStart > this.historyLimit) {
      this.history = this.history.slice(this.historyStart);
      this.historyStart = 0;
    }
  }

  private insertKey(key: string): void {
    const last = this.keys.at(-1);
    if (last === undefined || last < key) this.keys.push(key);
    else this.keys.splice(this.indexOf(key), 0, key);
  }

  private removeKey(key: string): void {
    if (!this.objects.delete(key)) return;
    this.keys.splice(this.indexOf(key), 1);
  }

  private indexOf(key: string): number {
    let low = 0;
    let high = this.keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
