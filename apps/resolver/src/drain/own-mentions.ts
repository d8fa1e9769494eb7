import { loadBalancerLabel } from '@elasti/api';
import { type CacheEvent, type CacheProvider, EndpointSlice, type Frozen, untilAborted } from '@elasti/operator-kit';

/** On the slices that the operator writes into Services. */
const ownSlices = 'endpointslice.kubernetes.io/managed-by=elasti';

/** Who acts on what slices say. */
export type SliceReader = 'data plane' | 'load balancer';

/** Whether data planes are told to send this pod traffic: the slices of all Services that name it as ready. Watches only while somebody waits. */
export class OwnMentions {
  constructor(
    private readonly caches: CacheProvider,
    private readonly podIps: readonly string[],
  ) {}

  /** Resolves when no slice names this pod as ready, with the slowest of those who read the slices; rejects with the signal's reason. */
  async gone(signal: AbortSignal): Promise<SliceReader> {
    const naming = new Set<string>();
    let slowest: SliceReader = 'data plane';
    let onUnnamed: () => void = () => undefined;
    const cache = this.caches.acquire(EndpointSlice, { labelSelector: ownSlices });
    const subscription = cache.subscribe((event) => {
      this.note(event, naming);
      if (this.isReadByLoadBalancer(event.object)) slowest = 'load balancer';
      if (naming.size === 0) onUnnamed();
    });
    try {
      await subscription.synced(signal);
      if (naming.size > 0) await untilAborted(new Promise<void>((resolve) => (onUnnamed = resolve)), signal);
      return slowest;
    } finally {
      subscription.close();
      cache.release();
    }
  }

  private note({ type, object }: CacheEvent<EndpointSlice>, naming: Set<string>): void {
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
    if (type !== 'deleted' && this.isNamedIn(object)) naming.add(key);
    else naming.delete(key);
  }

  /** Also of a slice that names it as draining already: that may have been written before this watch began. */
  private isReadByLoadBalancer({ metadata, endpoints }: Frozen<EndpointSlice>): boolean {
    if (metadata.labels?.[loadBalancerLabel] !== 'true') return false;
    return (endpoints ?? []).some(({ addresses }) => this.isOwn(addresses));
  }

  private isOwn(addresses: readonly string[]): boolean {
    return addresses.some((address) => this.podIps.includes(address));
  }

  /** The API means "ready" by leaving `ready` out, and says null of a slice that names nobody. */
  private isNamedIn({ endpoints }: Frozen<EndpointSlice>): boolean {
    return (endpoints ?? []).some(({ addresses, conditions }) => conditions?.ready !== false && this.isOwn(addresses));
  }
}
