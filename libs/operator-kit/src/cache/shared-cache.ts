import { apiVersionOf, definitionOf, groupResourceOf } from '../client';
import type { KubeObject, ResourceDefinition, ResourceLike } from '../client';
import type { CacheOptions, CacheProvider, CacheScope, ResourceCache } from './cache-access';
import { CacheHandle } from './cache-handle';
import { CacheStoppedError, InvalidCacheScopeError, TransformConflictError } from './cache.errors';
import type { ReflectorDependencies, ReflectorHealth, ReflectorOptions, ReflectorScope } from './reflector';
import { WatchedResource, stripManagedFields } from './watched-resource';

export interface CacheHealth extends Readonly<ReflectorHealth> {
  /** `deployments.apps` */
  readonly resource: string;
}

export type SharedCacheDependencies = Omit<ReflectorDependencies, 'random'> & Partial<Pick<ReflectorDependencies, 'random'>>;

interface Shared {
  readonly watched: WatchedResource<KubeObject>;
  readonly users: Set<object>;
}

/**
 * All caches of a process: one watch per kind and scope, however many users ask for it.
 *
 * A watch begins with its first user and ends when the last one has released it, or at `stop`. Users of one watch share its objects,
 * so they must agree on the transform; indexes are each user's own.
 */
export class SharedCache implements CacheProvider {
  private readonly shared = new Map<string, Shared>();
  private readonly ending = new Set<Promise<void>>();
  private readonly dependencies: ReflectorDependencies;
  private stopped = false;

  constructor(
    dependencies: SharedCacheDependencies,
    private readonly options: ReflectorOptions = {},
  ) {
    this.dependencies = { random: Math.random, ...dependencies };
  }

  /** @throws InvalidCacheScopeError, TransformConflictError, CacheStoppedError */
  acquire<T extends KubeObject>(resource: ResourceLike<T>, options: CacheOptions<T> = {}): ResourceCache<T> {
    const definition = definitionOf(resource);
    const name = groupResourceOf(definition);
    if (this.stopped) throw new CacheStoppedError(name);

    const transform = options.transform ?? stripManagedFields;
    const scopes = scopesOf(definition, options);
    const key = JSON.stringify([apiVersionOf(definition), definition.plural, scopes]);
    const shared =
      this.shared.get(key) ?? this.begin(key, new WatchedResource(definition, scopes, transform, this.dependencies, this.options));
    // The key names the kind, so the objects behind it are T.
    const watched = shared.watched as unknown as WatchedResource<T>;
    if (watched.transform !== transform) throw new TransformConflictError(name);

    try {
      const handle = new CacheHandle<T>(watched, options.indexes ?? {}, () => this.leave(key, shared, handle));
      shared.users.add(handle);
      return handle;
    } finally {
      // An index function may throw on what is there already; nobody would ever stop the watch then.
      if (shared.users.size === 0) this.end(key);
    }
  }

  /** One line per watch: what a readiness probe asks. */
  health(): CacheHealth[] {
    return [...this.shared.values()].flatMap(({ watched }) => watched.health.map((health) => ({ resource: watched.resource, ...health })));
  }

  /** Ends every watch and resolves when no request is left. Caches go on answering from their last state. */
  async stop(): Promise<void> {
    this.stopped = true;
    for (const key of [...this.shared.keys()]) this.end(key);
    await Promise.all(this.ending);
  }

  private begin<T extends KubeObject>(key: string, watched: WatchedResource<T>): Shared {
    const shared: Shared = { watched: watched as unknown as WatchedResource<KubeObject>, users: new Set() };
    this.shared.set(key, shared);
    return shared;
  }

  private leave(key: string, shared: Shared, user: object): void {
    shared.users.delete(user);
    if (shared.users.size === 0 && this.shared.get(key) === shared) this.end(key);
  }

  private end(key: string): void {
    const watched = this.shared.get(key)?.watched;
    if (!watched) return;
    this.shared.delete(key);
    watched.stop();
    const ended = watched.stopped.then(() => void this.ending.delete(ended));
    this.ending.add(ended);
  }
}

function scopesOf(definition: ResourceDefinition, { namespace, namespaces, labelSelector, fieldSelector }: CacheScope): ReflectorScope[] {
  const resource = groupResourceOf(definition);
  if (namespace !== undefined && namespaces) {
    throw new InvalidCacheScopeError(resource, 'namespaces', 'cannot be given together with namespace; use one of them');
  }
  if (namespaces?.length === 0) {
    throw new InvalidCacheScopeError(resource, 'namespaces', 'is empty; name at least one, or leave it out for all namespaces');
  }
  const names = namespaces ?? (namespace === undefined ? undefined : [namespace]);
  if (names && !definition.namespaced) {
    throw new InvalidCacheScopeError(
      resource,
      namespaces ? 'namespaces' : 'namespace',
      'has no meaning for a cluster-scoped kind; leave it out',
    );
  }
  if (names?.includes('')) {
    throw new InvalidCacheScopeError(
      resource,
      namespaces ? 'namespaces' : 'namespace',
      'is an empty name; leave it out for all namespaces',
    );
  }
  const selectors = { ...(labelSelector && { labelSelector }), ...(fieldSelector && { fieldSelector }) };
  return names ? [...new Set(names)].sort().map((one) => ({ namespace: one, ...selectors })) : [selectors];
}
