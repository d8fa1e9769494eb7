import type { RehearsalSubject } from '@elasti/api';
import { type EndpointSlice, type Frozen, type Service, WaitingError } from '@elasti/operator-kit';
import type { Rehearsals, ResolverPod, ResolverPods } from '../../resolvers';
import type { Route } from '../../routes';

/** Who may be named in the slices of a Service. */
export interface Membership {
  readonly members: readonly ResolverPod[];
  /** `nothing`: nobody has shown yet that it can take the ports as they are now, but some of those that are listed live: better them than nobody. */
  readonly change: 'everything' | 'nothing';
  /** Why a ready resolver is not among them; for people. */
  readonly problem?: string;
}

/**
 * Decides which resolver pods a Service's traffic may be sent to: those that have shown that they listen for it and reach its pods.
 *
 * `known` asks only pods that have not shown it yet; `fresh` asks every one again. A draining pod stays where it is listed and joins nowhere.
 */
export class ResolverMembershipOps {
  constructor(
    private readonly pods: Pick<ResolverPods, 'list' | 'hasSynced'>,
    private readonly rehearsals: Pick<Rehearsals, 'rehearse' | 'known' | 'trust'>,
  ) {}

  async membersOf(
    service: Frozen<Service>,
    slices: readonly Frozen<EndpointSlice>[],
    routes: readonly Route[],
    freshness: 'known' | 'fresh',
    signal: AbortSignal,
  ): Promise<Membership> {
    // Nobody known yet is not nobody: slices must not be emptied by an operator that has just begun.
    if (!this.pods.hasSynced) throw new WaitingError('the resolver pods are not known yet', 100);
    const { namespace = '', name = '' } = service.metadata;
    const subject: RehearsalSubject = {
      namespace,
      service: name,
      routes: routes.map(({ port, resolverPort }) => ({ port, resolverPort })),
    };
    const listed = new Set(slices.filter((slice) => leadsTo(slice, routes)).flatMap(addressesOf));
    const all = this.pods.list();
    const ready = all.filter(({ state }) => state === 'ready');
    for (const pod of ready) if (listed.has(pod.address)) this.rehearsals.trust(subject, pod);

    const isKnown = (pod: ResolverPod) => freshness === 'known' && this.rehearsals.known(subject, pod);
    const outcomes = await this.rehearsals.rehearse(
      subject,
      ready.filter((pod) => !isKnown(pod)),
      signal,
    );
    const failure = outcomes.map(({ pod, outcome }) => (outcome === 'can' ? undefined : `${nameOf(pod)} ${outcome.cannot}`)).find(Boolean);
    const able = new Set([...ready.filter(isKnown), ...outcomes.filter(({ outcome }) => outcome === 'can').map(({ pod }) => pod)]);
    const draining = all.filter((pod) => pod.state === 'draining' && listed.has(pod.address));
    const isListed = ready.some(({ address }) => slices.flatMap(addressesOf).includes(address));
    const change = able.size === 0 && isListed ? 'nothing' : 'everything';
    return { members: [...able, ...draining], change, ...(failure !== undefined && { problem: `resolver pod ${failure}` }) };
  }
}

function leadsTo({ ports }: Frozen<EndpointSlice>, routes: readonly Route[]): boolean {
  const wanted = new Set(routes.map(({ resolverPort }) => resolverPort));
  return ports?.length === wanted.size && ports.every(({ port }) => port !== undefined && wanted.has(port));
}

function addressesOf({ endpoints }: Frozen<EndpointSlice>): string[] {
  return (endpoints ?? []).flatMap(({ addresses }) => addresses);
}

function nameOf({ podName, address }: ResolverPod): string {
  return podName ?? address;
}
