import type { CacheEvent, CacheOptions, CacheProvider, Frozen, ResourceCache, SubscribeOptions, Subscription } from '../cache';
import { definitionOf, formatRef, groupResourceOf, refOf } from '../client';
import type { KubeObject, ObjectRef, ResourceLike } from '../client';
import { untilAborted } from '../clock';

/** One kind in memory; a test says when it is synced and what happens to its objects. Events arrive at once. */
export class FakeCache<T extends KubeObject> implements ResourceCache<T> {
  private readonly objects = new Map<string, Frozen<T>>();
  private readonly handlers = new Set<(event: CacheEvent<T>) => void | Promise<void>>();
  private readonly syncing = Promise.withResolvers<undefined>();
  hasSynced = false;
  users = 0;
  subscribeOptions: SubscribeOptions | undefined;
  options: CacheOptions<T> | undefined;

  get(ref: ObjectRef): Frozen<T> | undefined {
    return this.objects.get(formatRef(ref));
  }

  list(): Frozen<T>[] {
    return [...this.objects.values()];
  }

  byIndex(): Frozen<T>[] {
    return [];
  }

  getOwnedBy(): Frozen<T>[] {
    return [];
  }

  async synced(signal: AbortSignal): Promise<void> {
    await untilAborted(this.syncing.promise, signal);
  }

  subscribe(handler: (event: CacheEvent<T>) => void | Promise<void>, options?: SubscribeOptions): Subscription {
    this.subscribeOptions = options;
    this.handlers.add(handler);
    for (const object of this.list()) void handler({ type: 'added', object, initial: true });
    const hasSynced = () => this.hasSynced;
    return {
      get hasSynced() {
        return hasSynced();
      },
      synced: (signal) => this.synced(signal),
      close: () => void this.handlers.delete(handler),
    };
  }

  release(): void {
    this.users--;
  }

  get handlerCount(): number {
    return this.handlers.size;
  }

  sync(): void {
    this.hasSynced = true;
    this.syncing.resolve(undefined);
  }

  put(object: T): void {
    const frozen = object as Frozen<T>;
    const key = formatRef(refOf(object));
    const before = this.objects.get(key);
    this.objects.set(key, frozen);
    this.emit(before ? { type: 'updated', object: frozen, before, resync: false } : { type: 'added', object: frozen, initial: false });
  }

  remove(ref: ObjectRef): void {
    const object = this.get(ref);
    if (!object) return;
    this.objects.delete(formatRef(ref));
    this.emit({ type: 'deleted', object, finalStateUnknown: false });
  }

  private emit(event: CacheEvent<T>): void {
    for (const handler of this.handlers) void handler(event);
  }
}

/** Caches that need no API server: `of(kind)` is the one that whoever acquires this kind gets. */
export class FakeCaches implements CacheProvider {
  private readonly caches = new Map<string, FakeCache<KubeObject>>();

  acquire<T extends KubeObject>(resource: ResourceLike<T>, options?: CacheOptions<T>): ResourceCache<T> {
    const cache = this.of(resource);
    cache.users++;
    cache.options = options;
    return cache;
  }

  of<T extends KubeObject>(resource: ResourceLike<T>): FakeCache<T> {
    const name = groupResourceOf(definitionOf(resource));
    const cache = this.caches.get(name) ?? new FakeCache<KubeObject>();
    this.caches.set(name, cache);
    return cache as unknown as FakeCache<T>;
  }
}
