import { loadBalancerLabel } from '@elasti/api';
import type { EndpointSlice, Frozen, Service } from '@elasti/operator-kit';
import { sliceManager, sliceRoleLabel } from '../../names';
import type { Route } from '../../routes';
import { isBehindLoadBalancer } from '../decisions/settle-time';
import { type AddressFamily, proxySliceName, standbySliceName } from './child-names';

/** A resolver pod that may be listed, with what the data plane wants to know of it. */
export interface ResolverEndpoint {
  readonly address: string;
  readonly family: AddressFamily;
  readonly nodeName?: string;
  readonly zone?: string;
  /** `draining`: it takes nothing new, and is used only when nobody else is left. */
  readonly state: 'ready' | 'draining';
}

/** `proxy`: the resolvers take the traffic; `standby`: only when no ready pod is left. */
export type SliceRole = 'proxy' | 'standby';

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

const taking = { ready: true, serving: true, terminating: false };
// kube-proxy and others use such an endpoint only when no ready one is left, so a Service is never empty.
const lastResort = { ready: false, serving: true, terminating: true };

/** Kubernetes takes at most this many endpoints in a slice. */
const maxEndpoints = 1000;

/**
 * The slices that put the resolvers into a Service: one for each family that the Service has.
 *
 * A port without a route is left out: nothing listens for it. No topology hints: without them the data plane uses every endpoint.
 * A family without resolvers gets an empty slice, so that what it said before is withdrawn.
 */
export function buildResolverSlices(
  service: Frozen<Service>,
  role: SliceRole,
  routes: readonly Route[],
  resolvers: readonly ResolverEndpoint[],
): EndpointSlice[] {
  const { namespace, name = '' } = service.metadata;
  const ports = slicePorts(service, routes);
  return familiesOf(service).map((family) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: role === 'proxy' ? proxySliceName(name, family) : standbySliceName(name, family),
      labels: {
        'kubernetes.io/service-name': name,
        'endpointslice.kubernetes.io/managed-by': sliceManager,
        [sliceRoleLabel]: role,
        // Said in both cases: what a write no longer mentions would stay.
        ...(role === 'proxy' && { [loadBalancerLabel]: String(isBehindLoadBalancer(service)) }),
      },
    },
    addressType: family,
    endpoints: resolvers
      .filter((resolver) => resolver.family === family)
      .sort((a, b) => a.address.localeCompare(b.address))
      .slice(0, maxEndpoints)
      .map((resolver) => buildEndpoint(resolver, role)),
    ports,
  }));
}

function buildEndpoint({ address, nodeName, zone, state }: ResolverEndpoint, role: SliceRole): Endpoint {
  const conditions = role === 'proxy' && state === 'ready' ? taking : lastResort;
  return { addresses: [address], conditions, ...(nodeName && { nodeName }), ...(zone && { zone }) };
}

function slicePorts(service: Frozen<Service>, routes: readonly Route[]): NonNullable<EndpointSlice['ports']> {
  const resolverPorts = new Map(routes.map(({ port, resolverPort }) => [port, resolverPort]));
  return (service.spec?.ports ?? []).flatMap(({ name = '', port, protocol = 'TCP', appProtocol }) => {
    const resolverPort = resolverPorts.get(port);
    if (protocol !== 'TCP' || resolverPort === undefined) return [];
    return [{ name, port: resolverPort, protocol, ...(appProtocol && { appProtocol }) }];
  });
}

/** The address families that a Service is reached by. */
export function familiesOf(service: Frozen<Service>): AddressFamily[] {
  const families = (service.spec?.ipFamilies ?? []).filter((family): family is AddressFamily => family === 'IPv4' || family === 'IPv6');
  return families.length > 0 ? families : ['IPv4'];
}
