import type { ElastiService } from '@elasti/api';
import type { Frozen, Service } from '@elasti/operator-kit';
import type { Route } from '../../routes';
import { familiesOf } from '../resources/build-resolver-slices';
import type { AddressFamily } from '../resources/child-names';
import type { EndpointSliceOps, Publication } from './endpoint-slice.ops';
import type { Membership, ResolverMembershipOps } from './resolver-membership.ops';
import type { TargetOps } from './target.ops';

/** One Service of an ElastiService, with the way its ports take to the resolvers. */
export interface RoutedService {
  readonly service: Frozen<Service>;
  readonly routes: readonly Route[];
}

export interface ModeOutcome {
  /** Whether every Service names a resolver that is ready for it, for each of its address families, after this step. */
  readonly resolver: 'available' | 'absent';
  /** Why a resolver is left out; for people. */
  readonly problem?: string;
}

/**
 * Lets the pods or the resolvers take the traffic of all Services of one ElastiService.
 *
 * Whoever comes is named before whoever goes is taken away, and then by the API server's word rather than by a watch that may lag, so there is no moment
 * without either. One address must not stay in two slices: kube-proxy would take one of them, and not always the ready one.
 */
export class ModeOps {
  constructor(
    private readonly slices: EndpointSliceOps,
    private readonly membership: ResolverMembershipOps,
    private readonly target: Pick<TargetOps, 'read'>,
  ) {}

  /** The pods take the traffic; resolvers stand by where that is wanted. */
  async serve(
    elastiService: Frozen<ElastiService>,
    services: readonly RoutedService[],
    standby: 'on' | 'off',
    signal: AbortSignal,
  ): Promise<ModeOutcome> {
    const members = await this.membersOf(elastiService, services, 'known', signal);
    const taking = this.proxySlices(elastiService, services);
    const how = { role: 'standby', certainty: taking === 'none' ? 'as seen' : 'certain' } as const;
    for (const [position, { service, routes }] of services.entries()) {
      if (standby === 'on') await this.publish(elastiService, { service, routes }, how, members[position], signal);
      else await this.slices.withdraw(elastiService, nameOf(service), 'standby', signal);
    }
    if (taking !== 'none') await this.withdrawProxy(elastiService, services, taking, signal);
    return outcomeOf(services, members);
  }

  /**
   * The resolvers take the traffic, beside the pods where there are any. With `fresh`, every one of them has just shown that it can, and nothing is
   * published unless each Service has one: a sleep that nobody can take over must not begin.
   */
  async proxy(
    elastiService: Frozen<ElastiService>,
    services: readonly RoutedService[],
    freshness: 'known' | 'fresh',
    signal: AbortSignal,
  ): Promise<ModeOutcome> {
    const members = await this.membersOf(elastiService, services, freshness, signal);
    const outcome = outcomeOf(services, members);
    if (freshness === 'fresh' && outcome.resolver === 'absent') return outcome;
    for (const [position, { service, routes }] of services.entries()) {
      const hasStandby = this.slices.published(elastiService, nameOf(service), 'standby').length > 0;
      const how = { role: 'proxy', certainty: hasStandby ? 'certain' : 'as seen' } as const;
      const isNamed = await this.publish(elastiService, { service, routes }, how, members[position], signal);
      // Both stay until the watch shows the new one: by then the data plane has heard of it, too.
      if (isNamed && hasStandby && this.isPublished(elastiService, services)) {
        await this.slices.withdraw(elastiService, nameOf(service), 'standby', signal);
      }
    }
    return outcome;
  }

  isPublished(elastiService: Frozen<ElastiService>, services: readonly RoutedService[]): boolean {
    return services.every(({ service }) => this.slices.hasReadyResolver(elastiService, nameOf(service)));
  }

  isProxySliceLeft(elastiService: Frozen<ElastiService>, services: readonly RoutedService[]): boolean {
    return services.some(({ service }) => this.slices.published(elastiService, nameOf(service), 'proxy').length > 0);
  }

  private async publish(
    elastiService: Frozen<ElastiService>,
    { service, routes }: RoutedService,
    how: Pick<Publication, 'role' | 'certainty'>,
    membership: Membership | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (membership?.change !== 'everything') return false;
    await this.slices.publish(elastiService, service, { ...how, routes, members: membership.members }, signal);
    return true;
  }

  private membersOf(
    elastiService: Frozen<ElastiService>,
    services: readonly RoutedService[],
    freshness: 'known' | 'fresh',
    signal: AbortSignal,
  ): Promise<Membership[]> {
    const of = ({ service, routes }: RoutedService) => {
      const there = (['proxy', 'standby'] as const).flatMap((role) => this.slices.published(elastiService, nameOf(service), role));
      return this.membership.membersOf(service, there, routes, freshness, signal);
    };
    return Promise.all(services.map(of));
  }

  /** The cache may lag: a target that has gone to zero meanwhile keeps its resolvers. */
  private async withdrawProxy(
    elastiService: Frozen<ElastiService>,
    services: readonly RoutedService[],
    taking: 'ours' | 'unmarked',
    signal: AbortSignal,
  ): Promise<void> {
    const { spec } = await this.target.read(elastiService, signal);
    if (!spec.replicas) return;
    for (const { service } of services) {
      if (taking === 'ours') await this.slices.withdraw(elastiService, nameOf(service), 'proxy', signal);
      else await this.slices.withdrawUnmarked(service, signal);
    }
  }

  /** Of a Service that the status calls taken by resolvers and that has no slice of ours, the one before us may have left its own. */
  private proxySlices(elastiService: Frozen<ElastiService>, services: readonly RoutedService[]): 'none' | 'ours' | 'unmarked' {
    if (this.isProxySliceLeft(elastiService, services)) return 'ours';
    return elastiService.status?.mode === 'proxy' ? 'unmarked' : 'none';
  }
}

function outcomeOf(services: readonly RoutedService[], memberships: readonly Membership[]): ModeOutcome {
  const isAvailable = memberships.every(({ members }) => members.some(isReady));
  const lacking = isAvailable
    ? services.flatMap(({ service }, position) => familiesWithoutResolver(service, memberships[position]))[0]
    : undefined;
  const failure = memberships.map((membership) => membership.problem).find((text) => text !== undefined);
  const problem = lacking === undefined ? failure : `none has an ${lacking} address`;
  return { resolver: isAvailable && lacking === undefined ? 'available' : 'absent', ...(problem !== undefined && { problem }) };
}

/** Clients that come by these would be refused. */
function familiesWithoutResolver(service: Frozen<Service>, membership: Membership | undefined): AddressFamily[] {
  const there = new Set(membership?.members.filter(isReady).map(({ family }) => family));
  return familiesOf(service).filter((family) => !there.has(family));
}

function isReady({ state }: Membership['members'][number]): boolean {
  return state === 'ready';
}

function nameOf({ metadata }: Frozen<Service>): string {
  return metadata.name ?? '';
}
