import { type CacheEvent, type CacheProvider, EndpointSlice, type Frozen, untilAborted } from '@elasti/operator-kit';

/** On the slices that the operator writes into Services. */
const ownSlices = 'endpointslice.kubernetes.io/managed-by=elasti';

/** Whether data planes are told to send this pod traffic: the slices of all Services that name it as ready. Watches only while somebody waits. */
export class OwnMentions {
  constructor(
    private readonly caches: CacheProvider,
    private readonly podIps: readonly string[],
  ) {}

  /** Resolves when no slice names this pod as ready; rejects with the signal's reason. */
  async gone(signal: AbortSignal): Promise<void> {
    const naming = new Set<string>();
    let onUnnamed: () => void = () => undefined;
    const cache = this.caches.acquire(EndpointSlice, { labelSelector: ownSlices });
    const subscription = cache.subscribe((event) => {
      this.note(event, naming);
      if (naming.size === 0) onUnnamed();
    });
    try {
      await subscription.synced(signal);
      if (naming.size > 0) await untilAborted(new Promise<void>((resolve) => (onUnnamed = resolve)), signal);
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

  /** The API means "ready" by leaving `ready` out, and says null of a slice that names nobody. */
  private isNamedIn({ endpoints }: Frozen<EndpointSlice>): boolean {
    return (endpoints ?? []).some(
      ({ addresses, conditions }) => conditions?.ready !== false && addresses.some((address) => this.podIps.includes(address)),
    );
  }
}
