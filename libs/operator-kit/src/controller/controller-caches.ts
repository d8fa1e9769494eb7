import type { CacheOptions, CacheProvider, Lister, ResourceCache, Subscription } from '../cache';
import { apiVersionOf, definitionOf, groupResourceOf } from '../client';
import type { KubeObject, ResourceDefinition, ResourceLike } from '../client';
import type { EventSink, EventSource } from './event-source';

/** A kind that a controller watches, with its types forgotten so that kinds can lie in one list. */
export interface WatchedKind {
  readonly definition: ResourceDefinition;
  acquire(provider: CacheProvider): OpenKind;
}

interface OpenKind {
  readonly cache: ResourceCache<KubeObject>;
  subscribe(sink: EventSink): Subscription[];
}

export function watchedKind<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  options: CacheOptions<T>,
  sources: readonly EventSource<T>[],
): WatchedKind {
  return {
    definition,
    acquire: (provider) => {
      const cache = provider.acquire(definition, options);
      return {
        cache,
        subscribe: (sink) => sources.map((source) => source.subscribe(cache, sink)),
      };
    },
  };
}

export function kindKey(resource: ResourceLike): string {
  const definition = definitionOf(resource);
  return `${apiVersionOf(definition)}/${definition.plural}`;
}

/** The shared caches that one controller reads, each acquired once however many sources use it, and all given back by `close`. */
export class ControllerCaches {
  private readonly openKinds = new Map<string, OpenKind>();
  private subscriptions: Subscription[] = [];

  constructor(
    private readonly controller: string,
    private readonly kinds: readonly WatchedKind[],
  ) {}

  open(provider: CacheProvider, sink: EventSink): void {
    for (const kind of this.kinds) this.openKinds.set(kindKey(kind.definition), kind.acquire(provider));
    // Only now, because a mapper may look into any of the caches.
    this.subscriptions = [...this.openKinds.values()].flatMap((kind) => kind.subscribe(sink));
  }

  /** Resolves when every kind is listed in full and what is there has gone through the sources. */
  async synced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.synced(signal)));
  }

  /** Names of the kinds whose first list is still missing. */
  get unsynced(): string[] {
    return this.kinds
      .filter(({ definition }) => !this.openKinds.get(kindKey(definition))?.cache.hasSynced)
      .map(({ definition }) => groupResourceOf(definition));
  }

  lister<T extends KubeObject>(resource: ResourceLike<T>): Lister<T> {
    const open = this.openKinds.get(kindKey(resource));
    if (open) return open.cache as unknown as Lister<T>;

    const watched = this.kinds.map(({ definition }) => groupResourceOf(definition)).join(', ');
    throw new Error(
      `controller ${this.controller} has no cache of ${groupResourceOf(definitionOf(resource))}, only of ${watched}: add owns() or watches() for it`,
    );
  }

  close(): void {
    for (const subscription of this.subscriptions) subscription.close();
    for (const { cache } of this.openKinds.values()) cache.release();
    this.subscriptions = [];
    this.openKinds.clear();
  }
}
