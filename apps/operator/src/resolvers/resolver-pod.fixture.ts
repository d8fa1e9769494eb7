import type { EndpointSlice } from '@elasti/operator-kit';
import type { ResolverPod } from './resolver-pod';

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

export function aPod(overrides: Partial<ResolverPod> = {}): ResolverPod {
  return { address: '10.0.0.1', family: 'IPv4', podName: 'resolver-1', uid: 'uid-1', state: 'ready', ...overrides };
}

export function anEndpoint(address: string, overrides: Partial<Endpoint> = {}): Endpoint {
  return { addresses: [address], conditions: { ready: true, serving: true, terminating: false }, ...overrides };
}

export const ready = { ready: true, serving: true, terminating: false };
export const draining = { ready: false, serving: true, terminating: true };
export const notReady = { ready: false, serving: false, terminating: false };

export interface SliceOverrides {
  readonly namespace?: string;
  readonly service?: string;
  readonly name?: string;
  readonly addressType?: string;
}

export function aSlice(endpoints: Endpoint[], overrides: SliceOverrides = {}): EndpointSlice {
  const { namespace = 'elasti', service = 'elasti-resolver-service', name = 'resolvers-1', addressType = 'IPv4' } = overrides;
  const metadata = { namespace, name, labels: { 'kubernetes.io/service-name': service } };
  return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, endpoints };
}
