import {
  type CacheEvent,
  type CacheProvider,
  EndpointSlice,
  type Frozen,
  type ResourceCache,
  type Subscription,
} from '@elasti/operator-kit';
import { ServiceListeners, ServiceMap, type ServiceRef } from '../directory';
import { privateServiceLabel, publicServiceOf } from './names';
import type { PrivateServices } from './private-services';
import { type AddressFamily, familyOf, type ReadyPod, readyPodsOf } from './ready-pod';

interface SlicePods {
  readonly family: AddressFamily;
  readonly pods: readonly ReadyPod[];
}

interface Entry {
  readonly slices: Map<string, SlicePods>;
  pods: readonly ReadyPod[];
  readonly stopListening: () => void;
}

type GoneListener = (podKey: string, service: ServiceRef) => void;

const none: readonly ReadyPod[] = [];

/**
 * The ready pods of every Service that can sleep, from one watch limited by label to the slices of the private Services.
 *
 * A change costs work for its own Service only. A pod in slices of both families is one pod, at its address of the Service's first family.
 * Listeners are called when the pods or their ports may have changed, never for another Service.
 */
export class ReadyPods {
  private readonly entries = new ServiceMap<Entry>();
  private readonly listeners = new ServiceListeners();
  private readonly goneListeners = new Set<GoneListener>();
  private readonly cache: ResourceCache<EndpointSlice>;
  private readonly subscription: Subscription;

  constructor(
    caches: CacheProvider,
    private readonly services: Pick<PrivateServices, 'find' | 'watch'>,
  ) {
    this.cache = caches.acquire(EndpointSlice, { labelSelector: privateServiceLabel });
    this.subscription = this.cache.subscribe((event) => this.hear(event));
  }

  /** The same array until something changes. */
  of(ref: ServiceRef): readonly ReadyPod[] {
    return this.entries.get(ref)?.pods ?? none;
  }

  watch(ref: ServiceRef, listener: () => void): () => void {
    return this.listeners.add(ref, listener);
  }

  /** Called with each pod of any Service that is ready no more. */
  watchGone(listener: GoneListener): () => void {
    this.goneListeners.add(listener);
    return () => void this.goneListeners.delete(listener);
  }

  synced(signal: AbortSignal): Promise<void> {
    return this.subscription.synced(signal);
  }

  close(): void {
    this.subscription.close();
    this.cache.release();
    for (const { stopListening } of this.entries.values()) stopListening();
  }

  private hear(event: CacheEvent<EndpointSlice>): void {
    const { object } = event;
    const ref = publicServiceOf(object);
    const former = event.type === 'updated' ? publicServiceOf(event.before) : undefined;
    if (former && former.service !== ref?.service) this.change(former, object, undefined);
    const family = familyOf(object);
    if (ref && family) this.change(ref, object, event.type === 'deleted' ? undefined : { family, pods: readyPodsOf(object) });
  }

  private change(ref: ServiceRef, { metadata: { name = '' } }: Frozen<EndpointSlice>, pods: SlicePods | undefined): void {
    const entry = this.entries.get(ref) ?? this.begin(ref);
    if (pods) entry.slices.set(name, pods);
    else entry.slices.delete(name);
    if (entry.slices.size === 0) {
      entry.stopListening();
      this.entries.delete(ref);
    }
    this.merge(ref, entry);
  }

  private begin(ref: ServiceRef): Entry {
    const entry: Entry = { slices: new Map(), pods: none, stopListening: this.services.watch(ref, () => this.merge(ref, entry)) };
    this.entries.set(ref, entry);
    return entry;
  }

  private merge(ref: ServiceRef, entry: Entry): void {
    const primary = this.services.find(ref)?.primaryFamily ?? 'IPv4';
    const merged = new Map<string, ReadyPod>();
    for (const family of ['IPv4', 'IPv6'] satisfies AddressFamily[]) {
      for (const slice of entry.slices.values()) {
        if (slice.family !== family) continue;
        for (const pod of slice.pods) if (family === primary || !merged.has(pod.podKey)) merged.set(pod.podKey, pod);
      }
    }
    const pods = [...merged.values()];
    if (samePods(entry.pods, pods)) return;
    const before = entry.pods;
    entry.pods = pods;
    this.listeners.announce(ref);
    for (const { podKey } of before) {
      if (!merged.has(podKey)) for (const listener of this.goneListeners) listener(podKey, ref);
    }
  }
}

function samePods(before: readonly ReadyPod[], after: readonly ReadyPod[]): boolean {
  return before.length === after.length && before.every((pod, index) => samePod(pod, after[index]));
}

function samePod(before: ReadyPod, after: ReadyPod | undefined): boolean {
  return before.podKey === after?.podKey && before.address === after.address && samePorts(before.ports, after.ports);
}

function samePorts(before: ReadyPod['ports'], after: ReadyPod['ports']): boolean {
  return before === after || (before.size === after.size && [...before].every(([name, port]) => after.get(name) === port));
}
