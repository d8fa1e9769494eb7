import { type Change, Collection } from './collection';
import { type JsonObject, asObject, asString } from './json';
import { StoredObject, objectKey } from './stored-object';

export interface ObjectStoreSettings {
  /** Changes kept per resource for watches and for reading the past. Default 10,000. */
  readonly historyLimit?: number;
}

export type StoreListener = (collection: string, change: Change) => void;

/**
 * Objects of all resources under one growing version counter.
 *
 * Guarantees that each write gets its own, higher version, which is also put into the object's metadata, and that
 * listeners run after the state has changed and before the write returns. It knows nothing of kinds or HTTP: callers
 * decide what may be written. Objects handed in belong to the store from then on and must not be changed.
 */
export class ObjectStore {
  private version = 1;
  private compactedVersion = 0;
  private readonly collections = new Map<string, Collection>();
  private readonly listeners = new Set<StoreListener>();
  private readonly historyLimit: number;

  constructor(settings: ObjectStoreSettings = {}) {
    this.historyLimit = settings.historyLimit ?? 10_000;
  }

  get currentVersion(): number {
    return this.version;
  }

  collection(id: string): Collection {
    let collection = this.collections.get(id);
    if (!collection) {
      collection = new Collection(id, this.historyLimit, this.compactedVersion);
      this.collections.set(id, collection);
    }
    return collection;
  }

  get(id: string, namespace: string, name: string): StoredObject | undefined {
    return this.collections.get(id)?.get(objectKey(namespace, name));
  }

  /** Writes an object, new or not. */
  put(id: string, object: JsonObject): StoredObject {
    const collection = this.collection(id);
    const stored = this.stamp(object);
    const previous = collection.get(stored.key);
    this.commit(collection, { type: previous ? 'MODIFIED' : 'ADDED', resourceVersion: this.version, object: stored, previous });
    return stored;
  }

  /** Removes an object; the answer is its last state at the deletion's version. */
  remove(id: string, namespace: string, name: string): StoredObject | undefined {
    const collection = this.collection(id);
    const previous = collection.get(objectKey(namespace, name));
    if (!previous) return undefined;
    const object = this.stamp(previous.object);
    this.commit(collection, { type: 'DELETED', resourceVersion: this.version, object, previous });
    return object;
  }

  /** Hears every change of every resource, after it was made. */
  listen(listener: StoreListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Forgets all changes up to a version, by default all there are. */
  compact(version = this.version): void {
    this.compactedVersion = Math.max(this.compactedVersion, version);
    for (const collection of this.collections.values()) collection.compact(version);
  }

  private stamp(object: JsonObject): StoredObject {
    this.version++;
    const metadata = { ...asObject(object.metadata), resourceVersion: String(this.version) };
    return new StoredObject({ ...object, metadata }, this.version);
  }

  private commit(collection: Collection, change: Change): void {
    collection.apply(change);
    for (const listener of [...this.listeners]) listener(collection.id, change);
  }
}

export function resourceVersionOf(object: JsonObject): string {
  return asString(asObject(object.metadata).resourceVersion);
}
