// What the resolver finds in a cluster: a Service that sleeps, with its private Service, its routes, and the slice that its pods come and go in.
import { buildPrivateService } from '../../../apps/operator/dist/controller/resources/build-private-service.js';
import { shardOf } from '@elasti/api';
import { buildShard } from '../../../apps/operator/dist/routes/route-shard.js';

export const namespace = 'shop';

/** `ports` are `{ name, port, resolverPort, podPort, appProtocol? }`. */
export function* buildWorld(services) {
  for (const name of [namespace, 'elasti']) yield { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  for (const [name, ports] of Object.entries(services)) {
    yield buildService(name, ports);
    yield buildPrivateService(buildService(name, ports));
    yield buildElastiService(name);
    yield buildSlice(name, ports, []);
  }
  yield* buildRoutes(services);
}

/** All pods of a service are in one slice and ready. */
export function buildSlice(service, ports, addresses) {
  const { metadata } = buildPrivateService(buildService(service, ports));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace,
      name: `${metadata.name}-x`,
      uid: `slice-${service}`,
      labels: { ...metadata.labels, 'kubernetes.io/service-name': metadata.name },
    },
    addressType: 'IPv4',
    endpoints: addresses.map((address) => ({
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: 'Pod', namespace, name: `${service}-${address}`, uid: `${service}-${address}` },
    })),
    ports: ports.map(({ name, podPort }) => ({ name, port: podPort, protocol: 'TCP' })),
  };
}

function buildService(name, ports) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.10',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      selector: { app: name },
      ports: ports.map(({ name: portName, port, podPort, appProtocol }) => ({
        name: portName,
        port,
        targetPort: podPort,
        protocol: 'TCP',
        ...(appProtocol && { appProtocol }),
      })),
    },
  };
}

function buildElastiService(name) {
  return {
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    metadata: { namespace, name },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name }, service: name, minTargetReplicas: 1, cooldownPeriod: 900 },
    status: { mode: 'proxy' },
  };
}

function* buildRoutes(services) {
  const shards = new Map();
  for (const [service, ports] of Object.entries(services)) {
    for (const { port, resolverPort } of ports) {
      const shard = shardOf(resolverPort);
      const records = shards.get(shard) ?? new Map();
      shards.set(shard, records.set(resolverPort, { namespace, service, port }));
    }
  }
  for (const [shard, records] of shards) yield buildShard('elasti', shard, records);
}
