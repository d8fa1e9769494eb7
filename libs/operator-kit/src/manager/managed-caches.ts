import type { CacheHealth, CacheOptions, CacheProvider, ResourceCache } from '../cache';
import { type KubeObject, type ResourceLike, definitionOf, groupResourceOf } from '../client';
import { type Clock, withTimeout } from '../clock';
import { CacheSyncTimeoutError } from './manager.errors';
import type { StartStep } from './start-step';
import { TrackedCache } from './tracked-cache';

/** What the manager asks of the shared cache beyond handing out caches. */
export interface StoppableCaches extends CacheProvider {
  stop(): Promise<void>;
  health(): CacheHealth[];
}

/** A watch that failed a moment ago heals by itself; one that has not heard from the server for so long shows a stale world. */
const staleAfterMs = 60_000;

/**
 * The manager's view of the shared cache: knows every cache in use, and narrows namespaced kinds to the watched namespaces.
 *
 * A cache asked for with namespaces of its own, and one of a cluster-scoped kind, is left as asked.
 */
export class ManagedCaches implements CacheProvider, StartStep {
  readonly name = 'caches';
  private readonly inUse = new Map<{ synced(signal: AbortSignal): Promise<void>; readonly hasSynced: boolean }, string>();

  constructor(
    private readonly shared: StoppableCaches,
    private readonly watchNamespaces: readonly string[],
    private readonly syncTimeoutMs: number,
    private readonly clock: Clock,
  ) {}

  acquire<T extends KubeObject>(resource: ResourceLike<T>, options: CacheOptions<T> = {}): ResourceCache<T> {
    const cache = this.shared.acquire(resource, this.narrow(resource, options));
    const tracked = new TrackedCache(cache, () => this.inUse.delete(tracked));
    this.inUse.set(tracked, groupResourceOf(definitionOf(resource)));
    return tracked;
  }

  /** The kinds that have not been listed in full yet. */
  get unsynced(): string[] {
    return [...new Set([...this.inUse].filter(([cache]) => !cache.hasSynced).map(([, resource]) => resource))].sort();
  }

  /** The kinds in use here whose watch has failed again and again for so long that the cache cannot be trusted to be current. */
  get stale(): string[] {
    const oldestMs = this.clock.now() - staleAfterMs;
    const kinds = new Set(this.inUse.values());
    const isStale = (watch: CacheHealth) => watch.consecutiveFailures > 0 && (watch.lastContactMs ?? oldestMs) <= oldestMs;
    const stale = this.shared.health().filter((watch) => kinds.has(watch.resource) && isStale(watch));
    return [...new Set(stale.map(({ resource }) => resource))].sort();
  }

  /** @throws CacheSyncTimeoutError */
  async start(signal: AbortSignal): Promise<void> {
    const { clock, syncTimeoutMs: timeoutMs } = this;
    const reason = () => new CacheSyncTimeoutError(this.unsynced, timeoutMs);
    await withTimeout({ clock, timeoutMs, signal, reason }, (wait) =>
      Promise.all([...this.inUse.keys()].map((cache) => cache.synced(wait))),
    );
  }

  async stop(): Promise<void> {
    await this.shared.stop();
  }

  private narrow<T extends KubeObject>(resource: ResourceLike<T>, options: CacheOptions<T>): CacheOptions<T> {
    const isScoped = options.namespace !== undefined || options.namespaces !== undefined || !definitionOf(resource).namespaced;
    return isScoped || this.watchNamespaces.length === 0 ? options : { ...options, namespaces: this.watchNamespaces };
  }
}
