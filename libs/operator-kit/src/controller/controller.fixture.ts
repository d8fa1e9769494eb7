import type { CacheEvent, CacheOptions, CacheProvider, Frozen, ResourceCache, SubscribeOptions, Subscription } from '../cache';
import { definitionOf, formatRef, groupResourceOf, refOf } from '../client';
import type { KubeObject, KubeReader, KubeWriter, ObjectMeta, ObjectRef, Patch, ResourceDefinition, ResourceLike } from '../client';
import type { EventNote, ObjectEvents } from '../events';
import { KitMetrics } from '../metrics';
import { FakeClock, RecordingLogger } from '../testing';
import type { ControllerHost, LeaderRunnable } from './controller-host';

export interface Widget extends KubeObject {
  spec: { size: number };
  status?: { ready?: boolean; size?: number; notes?: string[] };
}

export const Widget: ResourceDefinition<Widget> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

export function aWidget(name: string, metadata: Partial<ObjectMeta> = {}, rest: Partial<Pick<Widget, 'spec' | 'status'>> = {}): Widget {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '1', generation: 1, ...metadata },
    spec: { size: 1 },
    ...rest,
  };
}

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

  synced(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      void this.syncing.promise.then(resolve);
    });
  }

  subscribe(handler: (event: CacheEvent<T>) => void | Promise<void>, options?: SubscribeOptions): Subscription {
    this.subscribeOptions = options;
    this.handlers.add(handler);
    for (const object of this.list()) void handler({ type: 'added', object, initial: true });
    return { hasSynced: true, close: () => void this.handlers.delete(handler) };
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

interface SentPatch {
  ref: ObjectRef;
  patch: Patch;
  subresource?: string;
}

export interface FakeAnswers {
  patch?: (sent: SentPatch) => KubeObject;
  find?: (ref: ObjectRef) => KubeObject | undefined;
}

/** Answers patches and reads as a test tells it to; anything else is a surprise. */
export function fakeClient(answers: FakeAnswers = {}): { client: KubeReader & KubeWriter; patches: SentPatch[] } {
  const patches: SentPatch[] = [];
  const surprise = () => {
    throw new Error('no such call was expected');
  };
  const client: KubeReader & KubeWriter = {
    get: surprise,
    find: <T extends KubeObject>(_resource: ResourceLike<T>, ref: ObjectRef) => Promise.resolve(answers.find?.(ref) as T | undefined),
    list: surprise,
    listAll: surprise,
    watch: surprise,
    getScale: surprise,
    create: surprise,
    replace: surprise,
    replaceStatus: surprise,
    apply: surprise,
    patch: <T extends KubeObject>(_resource: ResourceLike<T>, ref: ObjectRef, patch: Patch, options?: { subresource?: string }) => {
      const sent = { ref, patch, ...(options?.subresource && { subresource: options.subresource }) };
      patches.push(sent);
      const answer: KubeObject = answers.patch?.(sent) ?? aWidget(ref.name);
      return Promise.resolve(answer as T);
    },
    delete: surprise,
    deleteAll: surprise,
    replaceScale: surprise,
  };
  return { client, patches };
}

/** A manager without the managing: keeps what is added and refuses a name twice, as the seam says. */
export class FakeHost implements ControllerHost {
  readonly clock = new FakeClock();
  readonly caches = new FakeCaches();
  readonly logger = new RecordingLogger();
  readonly metrics = new KitMetrics();
  readonly events: EventNote[] = [];
  readonly runnables: LeaderRunnable[] = [];

  constructor(readonly client: KubeReader & KubeWriter = fakeClient().client) {}

  eventsFor(): ObjectEvents {
    return { emit: (event: EventNote) => void this.events.push(event) };
  }

  add(runnable: LeaderRunnable): void {
    if (this.runnables.some(({ name }) => name === runnable.name)) throw new Error(`there is a ${runnable.name} already`);
    this.runnables.push(runnable);
  }

  /** The value of one of the kit's metrics, 0 when it was never touched. */
  async metric(name: string, labels: Record<string, string>): Promise<number> {
    const metric = await this.metrics.registry.getSingleMetric(name)?.get();
    const value = metric?.values.find(({ labels: own }) => Object.entries(labels).every(([key, wanted]) => own[key] === wanted));
    return value?.value ?? 0;
  }
}
