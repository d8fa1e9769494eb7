import {
  type CacheEvent,
  type CacheOptions,
  type CacheProvider,
  definitionOf,
  type Frozen,
  groupResourceOf,
  type KubeObject,
  type ObjectRef,
  type ResourceCache,
  type ResourceLike,
  type SubscribeOptions,
  type Subscription,
} from '@elasti/operator-kit';
import type { InformerMetrics } from './informer.metrics';

/** Caches whose handlers' events are counted; all else is as the caches behind do it. */
export class CountedCaches implements CacheProvider {
  constructor(
    private readonly caches: CacheProvider,
    private readonly metrics: InformerMetrics,
  ) {}

  acquire<T extends KubeObject>(resource: ResourceLike<T>, options?: CacheOptions<T>): ResourceCache<T> {
    return new CountedCache(this.caches.acquire(resource, options), groupResourceOf(definitionOf(resource)), this.metrics);
  }
}

class CountedCache<T extends KubeObject> implements ResourceCache<T> {
  constructor(
    private readonly cache: ResourceCache<T>,
    private readonly resource: string,
    private readonly metrics: InformerMetrics,
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

  subscribe(handler: (event: CacheEvent<T>) => void | Promise<void>, options?: SubscribeOptions): Subscription {
    return this.cache.subscribe(async (event) => {
      try {
        await handler(event);
        this.metrics.handled(this.resource, 'success');
      } catch (error) {
        this.metrics.handled(this.resource, 'error');
        throw error;
      }
    }, options);
  }

  release(): void {
    this.cache.release();
  }
}
