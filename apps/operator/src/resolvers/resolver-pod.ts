import type { EndpointSlice, Frozen } from '@elasti/operator-kit';
import { isIP } from 'node:net';

/** One address of a resolver pod; a pod of both families has two. */
export interface ResolverPod {
  readonly address: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly nodeName?: string;
  readonly zone?: string;
  readonly podName?: string;
  readonly uid?: string;
  /** `draining`: it takes nothing new and still answers what it holds. */
  readonly state: 'ready' | 'draining';
}

type Endpoint = NonNullable<Frozen<EndpointSlice>['endpoints']>[number];

/** Every usable address once, in a steady order. Kubernetes may show one in two slices for a moment: the one that is ready counts. */
export function readResolverPods(slices: readonly Frozen<EndpointSlice>[]): ResolverPod[] {
  const pods = new Map<string, ResolverPod>();
  for (const pod of slices.flatMap(podsOf)) {
    const known = pods.get(pod.address);
    if (!known || (known.state === 'draining' && pod.state === 'ready')) pods.set(pod.address, pod);
  }
  return [...pods.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Tells a pod from another that got its address later. */
export function instanceOf({ address, uid, podName }: ResolverPod): string {
  return `${address} ${uid ?? podName ?? ''}`;
}

function podsOf({ addressType, endpoints }: Frozen<EndpointSlice>): ResolverPod[] {
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  return (endpoints ?? []).flatMap((endpoint) => {
    const state = stateOf(endpoint);
    if (!state) return [];
    const { nodeName, zone, targetRef } = endpoint;
    const pod = targetRef?.kind === 'Pod' ? targetRef : undefined;
    return endpoint.addresses
      .filter((address) => isAddress(address, addressType))
      .map((address) => ({
        address,
        family: addressType,
        ...(nodeName && { nodeName }),
        ...(zone && { zone }),
        ...(pod?.name && { podName: pod.name }),
        ...(pod?.uid && { uid: pod.uid }),
        state,
      }));
  });
}

/** Kubernetes lets an absent `ready` mean that it is. */
function stateOf({ conditions }: Endpoint): ResolverPod['state'] | undefined {
  if (conditions?.ready !== false) return 'ready';
  return conditions.serving && conditions.terminating ? 'draining' : undefined;
}

/** An address with a zone (`fe80::1%eth0`) means something on its own node only. */
function isAddress(address: string, family: ResolverPod['family']): boolean {
  return isIP(address) === (family === 'IPv4' ? 4 : 6) && !address.includes('%');
}
