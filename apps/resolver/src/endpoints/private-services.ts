import { type CacheEvent, type CacheProvider, type Frozen, type ResourceCache, Service, type Subscription } from '@elasti/operator-kit';
import { ServiceListeners, ServiceMap, type ServiceRef } from '../directory';
import { privateServiceLabel, publicServiceOf } from './names';
import type { AddressFamily } from './ready-pod';

export interface ServicePortFacts {
  /** `''` for a port without a name. */
  readonly name: string;
  readonly appProtocol?: string;
}

/** What the private Service tells of the public one: they have the same ports and families. */
export interface ServiceFacts {
  /** TCP ports by number. */
  readonly ports: ReadonlyMap<number, ServicePortFacts>;
  /** Where the private Service itself answers, when it has an address. */
  readonly clusterIP?: string;
  readonly primaryFamily: AddressFamily;
}

/**
 * The ports of every Service that can sleep, from one watch limited by label to the private Services.
 *
 * A Service whose private one is not there yet is unknown here.
 */
export class PrivateServices {
  private readonly known = new ServiceMap<ServiceFacts>();
  private readonly listeners = new ServiceListeners();
  private readonly cache: ResourceCache<Service>;
  private readonly subscription: Subscription;

  constructor(caches: CacheProvider) {
    this.cache = caches.acquire(Service, { labelSelector: privateServiceLabel });
    this.subscription = this.cache.subscribe((event) => this.hear(event));
  }

  find(ref: ServiceRef): ServiceFacts | undefined {
    return this.known.get(ref);
  }

  watch(ref: ServiceRef, listener: () => void): () => void {
    return this.listeners.add(ref, listener);
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.subscription.synced(signal);
  }

  close(): void {
    this.subscription.close();
    this.cache.release();
  }

  private hear(event: CacheEvent<Service>): void {
    const ref = publicServiceOf(event.object);
    const former = event.type === 'updated' ? publicServiceOf(event.before) : undefined;
    if (former && former.service !== ref?.service) this.change(former, undefined);
    if (ref) this.change(ref, event.type === 'deleted' ? undefined : factsOf(event.object));
  }

  private change(ref: ServiceRef, facts: ServiceFacts | undefined): void {
    if (facts) this.known.set(ref, facts);
    else this.known.delete(ref);
    this.listeners.announce(ref);
  }
}

function factsOf({ spec }: Frozen<Service>): ServiceFacts {
  const ports = new Map<number, ServicePortFacts>();
  for (const { name, port, protocol, appProtocol } of spec?.ports ?? []) {
    if ((protocol ?? 'TCP') === 'TCP') ports.set(port, { name: name ?? '', ...(appProtocol && { appProtocol }) });
  }
  const clusterIP = spec?.clusterIP;
  return {
    ports,
    ...(clusterIP && clusterIP !== 'None' && { clusterIP }),
    primaryFamily: spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4',
  };
}
