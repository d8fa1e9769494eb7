import type { KubeObject, ObjectRef } from '../client';
import type { ResourceCache, SubscribeOptions, Subscription } from './cache-access';
import { CacheStoppedError, UnknownIndexError } from './cache.errors';
import type { CacheHandler } from './event-delivery';
import type { Frozen } from './lister';
import type { IndexFunction } from './object-store';
import type { WatchedResource } from './watched-resource';

/**
 * One user's view of a watch that others may share.
 *
 * Its indexes and handlers are its own and go with it at `release`; reads answer from the last state even then.
 */
export class CacheHandle<T extends KubeObject> implements ResourceCache<T> {
  private released = false;

  constructor(
    private readonly watched: WatchedResource<T>,
    private readonly indexes: Readonly<Record<string, IndexFunction<T>>>,
    private readonly onRelease: () => void,
  ) {
    for (const index of Object.values(indexes)) watched.store.addIndex(index);
  }

  get hasSynced(): boolean {
    return this.watched.hasSynced;
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.watched.synced(signal);
  }

  get(ref: ObjectRef): Frozen<T> | undefined {
    return this.watched.store.get(ref);
  }

  list(namespace?: string): Frozen<T>[] {
    return this.watched.store.list(namespace);
  }

  byIndex(index: string, value: string): Frozen<T>[] {
    const indexOf = Object.hasOwn(this.indexes, index) ? this.indexes[index] : undefined;
    if (!indexOf) throw new UnknownIndexError(this.watched.resource, index, Object.keys(this.indexes));
    return this.watched.store.indexed(indexOf, value);
  }

  getOwnedBy(uid: string): Frozen<T>[] {
    return this.watched.store.ownedBy(uid);
  }

  subscribe(handler: CacheHandler<T>, options?: SubscribeOptions): Subscription {
    if (this.released) throw new CacheStoppedError(this.watched.resource);
    return this.watched.subscribe(this, handler, options);
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.watched.unsubscribeAll(this);
    for (const index of Object.values(this.indexes)) this.watched.store.dropIndex(index);
    this.onRelease();
  }
}
