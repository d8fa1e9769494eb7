import { ElastiService, type ElastiServiceSpec, type ElastiServiceStatus } from '@elasti/api';
import type { Deployment, EndpointSlice, Service } from '@elasti/operator-kit';
import { privateServiceLabel } from '../names';
import { privateServiceName } from './resources/child-names';

export const namespace = 'shop';

export interface ElastiServiceWish {
  readonly spec?: Partial<ElastiServiceSpec>;
  readonly status?: ElastiServiceStatus;
  readonly createdAt?: string;
  readonly deletedAt?: string;
  readonly uid?: string;
}

/** Of the Service and the Deployment of its name; made long ago. */
export function anElastiService(name = 'web', { spec, status, createdAt, deletedAt, uid }: ElastiServiceWish = {}): ElastiService {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  const created = ElastiService.create(name, { service: name, scaleTargetRef, ...spec }, { namespace });
  const metadata = {
    ...created.metadata,
    uid: uid ?? `uid-${name}`,
    generation: 1,
    creationTimestamp: createdAt ?? '2029-01-01T00:00:00Z',
    ...(deletedAt && { deletionTimestamp: deletedAt }),
  };
  return { ...created, metadata, ...(status && { status }) };
}

export function aService(name = 'web', spec: Partial<NonNullable<Service['spec']>> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      selector: { app: name },
      ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
      ...spec,
    },
  };
}

export function aDeployment(name = 'web', replicas = 1): Deployment {
  const selector = { matchLabels: { app: name } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: { replicas, selector, template: { metadata: { labels: { app: name } } } },
  };
}

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

const conditionsOf = {
  ready: { ready: true, serving: true, terminating: false },
  draining: { ready: false, serving: true, terminating: true },
  'not ready': { ready: false, serving: false, terminating: false },
};

export type EndpointState = keyof typeof conditionsOf;

function endpointsOf(states: Readonly<Record<string, EndpointState>>): Endpoint[] {
  return Object.entries(states).map(([address, state]) => ({
    addresses: [address],
    conditions: conditionsOf[state],
    targetRef: { kind: 'Pod', name: `pod-${address}`, uid: `uid-${address}` },
  }));
}

/** What Kubernetes makes of the pods behind the private Service. */
export function podsOf(service: string, states: Readonly<Record<string, EndpointState>>): EndpointSlice {
  const of = privateServiceName(service);
  const labels = { 'kubernetes.io/service-name': of, [privateServiceLabel]: service };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace, name: `${of}-abc`, labels },
    addressType: 'IPv4',
    endpoints: endpointsOf(states),
  };
}

/** What Kubernetes makes of the resolver pods. */
export function resolversOf(states: Readonly<Record<string, EndpointState>>): EndpointSlice {
  const labels = { 'kubernetes.io/service-name': 'elasti-resolver-service' };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'elasti', name: 'resolvers-1', labels },
    addressType: 'IPv4',
    endpoints: endpointsOf(states),
  };
}
