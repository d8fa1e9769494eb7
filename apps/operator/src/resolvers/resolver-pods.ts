import type { EndpointSlice, Frozen, Logger, Subscription } from '@elasti/operator-kit';
import type { Informers } from '../informer';
import { readResolverPods, type ResolverPod } from './resolver-pod';

export interface ResolverPodsDependencies {
  readonly informers: Pick<Informers, 'resolverSlices'>;
  /** Where the resolvers live. */
  readonly resolver: { readonly namespace: string; readonly serviceName: string };
  readonly logger: Logger;
}

/**
 * The resolver pods as the EndpointSlices of their own Service show them; nothing of another namespace or Service is ever among them.
 *
 * Answers from the watch, so an answer is as old as it. Before the first list is complete there are none, and nobody is said to be absent.
 */
export class ResolverPods {
  private readonly listeners: (() => void)[] = [];
  private readonly stop = new AbortController();
  private readonly subscription: Subscription;
  private slices: readonly Frozen<EndpointSlice>[] = [];
  private pods: readonly ResolverPod[] = [];
  private announced = '[]';
  private isAbsent = false;

  constructor(private readonly dependencies: ResolverPodsDependencies) {
    this.subscription = dependencies.informers.resolverSlices.subscribe(() => this.observe());
    // A Service without any slice sends no event. It rejects only when the watch ends first, and then there is nothing to observe.
    this.subscription.synced(this.stop.signal).then(
      () => this.observe(),
      () => undefined,
    );
  }

  /** By address. */
  list(): readonly ResolverPod[] {
    const slices = this.dependencies.informers.resolverSlices.list().filter((slice) => this.isOurs(slice));
    const isKnown = slices.length === this.slices.length && slices.every((slice, index) => slice === this.slices[index]);
    if (!isKnown) {
      this.slices = slices;
      this.pods = readResolverPods(slices);
    }
    return this.pods;
  }

  ready(): ResolverPod[] {
    return this.list().filter(({ state }) => state === 'ready');
  }

  get hasReady(): boolean {
    return this.list().some(({ state }) => state === 'ready');
  }

  /** Until then an empty list says nothing. */
  get hasSynced(): boolean {
    return this.dependencies.informers.resolverSlices.hasSynced;
  }

  /** Called after every change of the list. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  close(): void {
    this.stop.abort();
    this.subscription.close();
  }

  private observe(): void {
    this.noteAbsence();
    const pods = JSON.stringify(this.list());
    if (pods === this.announced) return;
    this.announced = pods;
    for (const listener of this.listeners) listener();
  }

  private noteAbsence(): void {
    if (!this.hasSynced) return;
    const { logger } = this.dependencies;
    const wasAbsent = this.isAbsent;
    this.isAbsent = !this.hasReady;
    if (this.isAbsent && !wasAbsent) logger.warn('no resolver is ready');
    if (!this.isAbsent && wasAbsent) logger.info('a resolver is ready again');
  }

  private isOurs({ metadata: { namespace, labels } }: Frozen<EndpointSlice>): boolean {
    const { resolver } = this.dependencies;
    return namespace === resolver.namespace && labels?.['kubernetes.io/service-name'] === resolver.serviceName;
  }
}
