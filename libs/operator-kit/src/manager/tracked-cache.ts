import type { Frozen, ResourceCache, Subscription } from '../cache';
import type { KubeObject, ObjectRef } from '../client';

/** A cache whose release is noticed. */
export class TrackedCache<T extends KubeObject> implements ResourceCache<T> {
  constructor(
    private readonly cache: ResourceCache<T>,
    private readonly onRelease: () => void,
  ) {}

  get hasSynced(): boolean {
    return this.cache.hasSynced;
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.cache.synced(signal);
  }

  get(ref: ObjectRef): Frozen<T> | undefined {
    return this.cache.get(ref);
  }

  list(namespace?: string): Frozen<T>[] {
    return this.cache.list(namespace);
  }

  byIndex(index: string, value: string): Frozen<T>[] {
    return this.cache.byIndex(index, value);
  }

  getOwnedBy(uid: string): Frozen<T>[] {
    return this.cache.getOwnedBy(uid);
  }

  subscribe(...handler: Parameters<ResourceCache<T>['subscribe']>): Subscription {
    return this.cache.subscribe(...handler);
  }

  release(): void {
    this.onRelease();
    this.cache.release();
  }
}
