import { formatRef, groupResourceOf } from '../client';
import type { KubeObject, ResourceDefinition } from '../client';
import { untilAborted } from '../clock';
import type { SubscribeOptions, Subscription } from './cache-access';
import { CacheStoppedError, TransformFailedError } from './cache.errors';
import { EventDelivery } from './event-delivery';
import type { CacheHandler } from './event-delivery';
import { SiblingMemory, shareWith } from './structural-sharing';
import type { CacheEvent, Frozen } from './lister';
import { ObjectStore } from './object-store';
import type { StoreChange } from './object-store';
import { Reflector } from './reflector';
import type { ReflectorDependencies, ReflectorHealth, ReflectorOptions, ReflectorScope, ReflectorSink } from './reflector';

export type Transform<T extends KubeObject> = (object: T) => T;

/** The default: managedFields are often half of an object, and no controller reads them. */
export function stripManagedFields<T extends KubeObject>(object: T): T {
  // Not `delete`: it would turn the metadata into a hash table, slower to read and larger.
  const { managedFields, ...metadata } = object.metadata;
  return managedFields ? { ...object, metadata } : object;
}

/**
 * One kind in one scope, mirrored: its store, its reflectors (one a namespace) and its handlers.
 *
 * The store and its indexes are up to date before a handler hears of a change. Nobody can change an object in it.
 */
export class WatchedResource<T extends KubeObject> {
  readonly store = new ObjectStore<T>();
  readonly resource: string;
  readonly stopped: Promise<void>;

  private readonly siblings = new SiblingMemory<T>();
  private readonly reflectors: Reflector<T>[];
  /** Every handler, and the user it belongs to. */
  private readonly deliveries = new Map<EventDelivery<T>, object>();
  private readonly abort = new AbortController();
  private readonly firstSync = Promise.withResolvers<undefined>();
  private readonly unsynced: Set<ReflectorScope>;

  constructor(
    definition: ResourceDefinition<T>,
    scopes: readonly ReflectorScope[],
    readonly transform: Transform<T>,
    private readonly dependencies: ReflectorDependencies,
    options: ReflectorOptions,
  ) {
    this.resource = groupResourceOf(definition);
    this.unsynced = new Set(scopes);
    this.firstSync.promise.catch(() => undefined);
    const reading: ReflectorOptions = { ...options, ...(transform === stripManagedFields && { managedFields: 'omit' }) };
    this.reflectors = scopes.map((scope) => new Reflector(definition, scope, this.sinkFor(scope), dependencies, reading));
    this.stopped = Promise.all(this.reflectors.map((reflector) => reflector.run(this.abort.signal))).then(() => undefined);
  }

  get hasSynced(): boolean {
    return this.unsynced.size === 0;
  }

  get health(): readonly ReflectorHealth[] {
    return this.reflectors.map(({ health }) => health);
  }

  async synced(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await untilAborted(this.firstSync.promise, signal);
  }

  subscribe(user: object, handler: CacheHandler<T>, options: SubscribeOptions = {}): Subscription {
    const { clock, logger } = this.dependencies;
    const delivery = new EventDelivery(handler, clock, logger.with({ resource: this.resource }), (closed) =>
      this.deliveries.delete(closed),
    );
    this.deliveries.set(delivery, user);
    for (const object of this.store.list()) delivery.deliver({ type: 'added', object, initial: true });
    if (this.hasSynced) delivery.markInitial();
    delivery.resyncEvery(options, () => this.store.list());
    return delivery;
  }

  unsubscribeAll(user: object): void {
    for (const [delivery, owner] of this.deliveries) if (owner === user) delivery.close();
  }

  stop(): void {
    if (this.abort.signal.aborted) return;
    const stopped = new CacheStoppedError(this.resource);
    this.abort.abort(stopped);
    this.firstSync.reject(stopped);
    for (const delivery of this.deliveries.keys()) delivery.close(stopped);
    this.countObjects(-this.store.size);
  }

  private sinkFor(scope: ReflectorScope): ReflectorSink<T> {
    return {
      prepare: (object) => this.prepare(object),
      replace: (objects) => this.replace(objects, scope),
      put: (object) => this.announce([this.store.put(object)], { finalStateUnknown: false, initial: false }),
      remove: (object) => this.announce([this.removed(object)], { finalStateUnknown: false, initial: false }),
    };
  }

  /** A version that is here already is not kept twice while a list comes in. */
  private prepare(object: T): Frozen<T> {
    const known = this.store.known(object as Frozen<T>);
    if (known) return known;
    try {
      return this.keepable(this.transform(object));
    } catch (error) {
      throw new TransformFailedError(this.resource, formatRef({ ...object.metadata, name: object.metadata.name ?? '' }), error);
    }
  }

  private keepable(object: T): Frozen<T> {
    const { namespace, name = '' } = object.metadata;
    const frozen = shareWith(object, this.store.get({ namespace, name }) ?? this.siblings.siblingOf(object));
    this.siblings.remember(object, frozen);
    return frozen;
  }

  private replace(objects: Iterable<Frozen<T>>, scope: ReflectorScope): void {
    const initial = this.unsynced.has(scope);
    const changes = this.store.replace(objects, scope.namespace);
    this.unsynced.delete(scope);
    this.announce(changes, { finalStateUnknown: true, initial });
    if (!initial || !this.hasSynced) return;
    for (const delivery of this.deliveries.keys()) delivery.markInitial();
    this.firstSync.resolve(undefined);
  }

  /** The event carries the state the server sent with the deletion, which is newer than the one in the store. */
  private removed(object: Frozen<T>): StoreChange<T> | undefined {
    return this.store.remove(object) && { before: object };
  }

  private announce(changes: readonly (StoreChange<T> | undefined)[], flags: { finalStateUnknown: boolean; initial: boolean }): void {
    let grown = 0;
    for (const change of changes) {
      const event = change && eventOf(change, flags);
      if (!event) continue;
      if (event.type === 'added') grown++;
      if (event.type === 'deleted') grown--;
      for (const delivery of this.deliveries.keys()) delivery.deliver(event);
    }
    this.countObjects(grown);
  }

  /** Several scopes of one kind share the label, so each adds its part. */
  private countObjects(delta: number): void {
    if (delta !== 0) this.dependencies.metrics.cacheObjects.inc({ resource: this.resource }, delta);
  }
}

function eventOf<T extends KubeObject>(
  { before, after }: StoreChange<T>,
  { finalStateUnknown, initial }: { finalStateUnknown: boolean; initial: boolean },
): CacheEvent<T> | undefined {
  if (before && after) return { type: 'updated', object: after, before, resync: false };
  if (after) return { type: 'added', object: after, initial };
  return before && { type: 'deleted', object: before, finalStateUnknown };
}
