import type { EndpointSlice, Frozen } from '@elasti/operator-kit';

export type AddressFamily = 'IPv4' | 'IPv6';

/** A pod that takes traffic. */
export interface ReadyPod {
  /** Names the pod among all pods, for as long as it lives. */
  readonly podKey: string;
  readonly address: string;
  /** The pod's own port numbers, by the name that the Service gives the port; a port without a name is `''`. */
  readonly ports: ReadonlyMap<string, number>;
}

type Endpoint = NonNullable<Frozen<EndpointSlice>['endpoints']>[number];

/** The ready pods of one slice. All addresses of an endpoint mean the same pod, so the first is enough. */
export function readyPodsOf(slice: Frozen<EndpointSlice>): ReadyPod[] {
  const ports = tcpPortsOf(slice);
  if (ports.size === 0) return [];
  return (slice.endpoints ?? []).flatMap((endpoint) => {
    const [address] = endpoint.addresses;
    return address !== undefined && isReady(endpoint) ? [{ podKey: podKeyOf(slice, endpoint, address), address, ports }] : [];
  });
}

export function familyOf({ addressType }: Frozen<EndpointSlice>): AddressFamily | undefined {
  return addressType === 'IPv4' || addressType === 'IPv6' ? addressType : undefined;
}

/** The API means "ready" by leaving `ready` out. */
function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready !== false && conditions?.terminating !== true;
}

function podKeyOf({ metadata }: Frozen<EndpointSlice>, { targetRef }: Endpoint, address: string): string {
  return targetRef?.uid ?? `${metadata.namespace ?? ''}/${address}`;
}

function tcpPortsOf({ ports }: Frozen<EndpointSlice>): Map<string, number> {
  const byName = new Map<string, number>();
  for (const { name, port, protocol } of ports ?? []) {
    if (port !== undefined && (protocol ?? 'TCP') === 'TCP') byName.set(name ?? '', port);
  }
  return byName;
}
