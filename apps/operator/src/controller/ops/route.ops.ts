import type { ElastiService, RouteStatus } from '@elasti/api';
import type { Frozen, Service } from '@elasti/operator-kit';
import type { OperatorConfig } from '../../operator.config';
import type { Route, RouteLedger } from '../../routes';
import type { Remark } from '../decisions/build-conditions';
import { decideTcpPorts } from '../decisions/server-first';
import type { RoutedService } from './mode.ops';

export interface RoutedServices {
  readonly services: readonly RoutedService[];
  /** For people to read in the status. */
  readonly routes: readonly RouteStatus[];
  /** Ports that are not served by a resolver port of their own, and why; and what a Service says of its ports that nobody understands. */
  readonly remarks: readonly Remark[];
  /** Ports that nobody would answer on while it sleeps, and why. */
  readonly disputes: readonly Remark[];
}

/** Gives every TCP port of an ElastiService's Services its way to the resolvers. */
export class RouteOps {
  constructor(
    private readonly ledger: RouteLedger,
    private readonly config: Pick<OperatorConfig, 'resolver'>,
  ) {}

  async route(elastiService: Frozen<ElastiService>, services: readonly Frozen<Service>[], signal: AbortSignal): Promise<RoutedServices> {
    const routed = await Promise.all(services.map((service) => this.routeOne(elastiService, service, signal)));
    return {
      services: routed.map(({ service, routes }) => ({ service, routes })),
      routes: routed.flatMap(({ service, routes }) => routes.map((route) => statusOf(service, route))),
      remarks: routed.flatMap(({ remarks, disputes }) => [...remarks, ...disputes]),
      disputes: routed.flatMap(({ disputes }) => disputes),
    };
  }

  async release(namespace: string, service: string, signal: AbortSignal): Promise<void> {
    await this.ledger.release(namespace, service, signal);
  }

  private async routeOne(elastiService: Frozen<ElastiService>, service: Frozen<Service>, signal: AbortSignal) {
    const { namespace = '', name = '' } = service.metadata;
    const { ports, remarks: misunderstood } = decideTcpPorts(service);
    const remembered = (elastiService.status?.routes ?? [])
      .filter((route) => route.service === name && ports.some(({ port }) => port === route.port))
      .map(({ port, resolverPort }) => ({ namespace, service: name, port, resolverPort }));
    const { routes, without, disputed } = await this.ledger.ensure(namespace, name, ports, signal, remembered);
    // Whoever has no port of its own is known by the Host of its requests, as with KubeElasti.
    const shared = without.map((key) => ({ ...key, resolverPort: this.config.resolver.proxyPort }));
    const remarks: Remark[] = [
      ...misunderstood,
      ...without.map(({ port }) => ({
        reason: 'RoutesExhausted',
        message: `port ${port} of ${name} has no resolver port of its own, as all are taken: only HTTP with the Service's name as Host wakes it`,
      })),
    ];
    const disputes: Remark[] = disputed.map(({ port }) => ({
      reason: 'RouteDisputed',
      message: `port ${port} of ${name} is claimed twice in the route ConfigMaps: remove the record that is wrong`,
    }));
    return { service, routes: [...routes, ...shared].sort((a, b) => a.port - b.port), remarks, disputes };
  }
}

function statusOf({ spec, metadata }: Frozen<Service>, { port, resolverPort }: Route): RouteStatus {
  const name = spec?.ports?.find((candidate) => candidate.port === port)?.name;
  return { service: metadata.name ?? '', port, ...(name && { name }), resolverPort };
}
