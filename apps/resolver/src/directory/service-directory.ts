import { ElastiService } from '@elasti/api';
import type { CacheEvent, CacheProvider, Frozen, ResourceCache, Subscription } from '@elasti/operator-kit';
import { type KnownService, knownServiceOf } from './known-service';
import { ServiceListeners } from './service-listeners';
import { ServiceMap, type ServiceRef } from './service-map';

/**
 * The Services that ElastiServices speak for, and what is said about each.
 *
 * As current as the watch, which it shares. Of two ElastiServices on one Service the older speaks, as in the operator. A name that is not here is nobody's.
 */
export class ServiceDirectory {
  private readonly known = new ServiceMap<KnownService>();
  /** Every ElastiService that names a Service, by its own name. */
  private readonly claims = new ServiceMap<Map<string, Frozen<ElastiService>>>();
  private readonly listeners = new ServiceListeners();
  private readonly anyListeners = new Set<(ref: ServiceRef) => void>();
  private readonly cache: ResourceCache<ElastiService>;
  private readonly subscription: Subscription;

  constructor(caches: CacheProvider) {
    this.cache = caches.acquire(ElastiService);
    this.subscription = this.cache.subscribe((event) => this.hear(event));
  }

  find(ref: ServiceRef): KnownService | undefined {
    return this.known.get(ref);
  }

  list(): KnownService[] {
    return [...this.known.values()];
  }

  /** Called after every change of what is said about this Service. */
  watch(ref: ServiceRef, listener: () => void): () => void {
    return this.listeners.add(ref, listener);
  }

  /** Called after a change of any Service. */
  watchAll(listener: (ref: ServiceRef) => void): () => void {
    this.anyListeners.add(listener);
    return () => void this.anyListeners.delete(listener);
  }

  /** Resolves once everything that there was has been heard of. */
  synced(signal: AbortSignal): Promise<void> {
    return this.subscription.synced(signal);
  }

  close(): void {
    this.subscription.close();
    this.cache.release();
  }

  private hear(event: CacheEvent<ElastiService>): void {
    const names = new Set(servicesOf(event.object));
    const left = event.type === 'updated' ? servicesOf(event.before).filter((name) => !names.has(name)) : [];
    for (const name of left) this.drop(name, event.object);
    for (const name of names) {
      if (event.type === 'deleted') this.drop(name, event.object);
      else this.put(name, event.object);
    }
  }

  private put(service: string, object: Frozen<ElastiService>): void {
    const ref = { namespace: object.metadata.namespace ?? '', service };
    const claims = this.claims.get(ref) ?? new Map<string, Frozen<ElastiService>>();
    this.claims.set(ref, claims.set(object.metadata.name ?? '', object));
    this.settle(ref, claims);
  }

  private drop(service: string, object: Frozen<ElastiService>): void {
    const ref = { namespace: object.metadata.namespace ?? '', service };
    const claims = this.claims.get(ref);
    if (!claims?.delete(object.metadata.name ?? '')) return;
    if (claims.size === 0) this.claims.delete(ref);
    this.settle(ref, claims);
  }

  private settle(ref: ServiceRef, claims: ReadonlyMap<string, Frozen<ElastiService>>): void {
    const [oldest] = [...claims.values()].sort(byAge);
    if (oldest) this.known.set(ref, knownServiceOf(ref.service, oldest));
    else this.known.delete(ref);
    this.listeners.announce(ref);
    for (const listener of this.anyListeners) listener(ref);
  }
}

function servicesOf({ spec }: Frozen<ElastiService>): string[] {
  return [spec.service, ...(spec.additionalServices ?? [])];
}

/** The name decides between two of the same second, so that operator and resolvers see the same one. */
function byAge({ metadata: a }: Frozen<ElastiService>, { metadata: b }: Frozen<ElastiService>): number {
  const ages = (a.creationTimestamp ?? '').localeCompare(b.creationTimestamp ?? '');
  return ages === 0 ? (a.name ?? '').localeCompare(b.name ?? '') : ages;
}
