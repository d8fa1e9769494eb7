// What a cluster with many ElastiServices holds: for each a Service, a Deployment and what an operator has made of them, so that a run need not begin with that.
import { buildPrivateService } from '../../../apps/operator/dist/controller/resources/build-private-service.js';
import { buildResolverSlices } from '../../../apps/operator/dist/controller/resources/build-resolver-slices.js';
import { buildShard } from '../../../apps/operator/dist/routes/route-shard.js';
import { portsPerShard, resolverPorts } from '@elasti/api';

export const namespaceOf = (number) => `team-${number % 50}`;
export const nameOf = (number) => `web-${number}`;
/** Every second one sleeps. */
export const isAsleep = (number) => number % 2 === 0;

export function* buildCluster(count, prometheus) {
  for (let number = 0; number < 50; number++) yield { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${number}` } };
  yield { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elasti' } };
  for (let number = 0; number < count; number++) yield* buildService(number, prometheus);
  yield* buildRoutes(count);
}

function* buildRoutes(count) {
  for (let first = 0; first < count; first += portsPerShard) {
    const records = new Map();
    for (let number = first; number < Math.min(count, first + portsPerShard); number++) {
      records.set(resolverPorts.first + number, { namespace: namespaceOf(number), service: nameOf(number), port: 80 });
    }
    yield buildShard('elasti', first / portsPerShard, records);
  }
}

const routeOf = (number) => ({
  namespace: namespaceOf(number),
  service: nameOf(number),
  port: 80,
  resolverPort: resolverPorts.first + number,
});

/** The private Service, the slice that names the resolver, and the pods behind it. */
function* buildChildren(number, service, uid) {
  const owner = { apiVersion: 'elasti.truefoundry.com/v1alpha1', kind: 'ElastiService', name: nameOf(number), uid };
  const owned = (object) => {
    object.metadata.ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
    return object;
  };
  const privateService = buildPrivateService(service);
  yield owned(privateService);
  const resolver = { address: '127.0.0.1', family: 'IPv4', nodeName: 'node-1', state: 'ready' };
  for (const slice of buildResolverSlices(service, isAsleep(number) ? 'proxy' : 'standby', [routeOf(number)], [resolver]))
    yield owned(slice);
  yield {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: namespaceOf(number),
      name: `${privateService.metadata.name}-x`,
      labels: { ...privateService.metadata.labels, 'kubernetes.io/service-name': privateService.metadata.name },
    },
    addressType: 'IPv4',
    endpoints: isAsleep(number) ? null : [{ addresses: [`10.0.${number >> 8}.${number & 255}`], conditions: { ready: true } }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
}

/** As large as one that names the resolvers, and nobody's business. */
export function buildBareSlice(number, addresses) {
  const service = {
    metadata: { namespace: namespaceOf(number), name: `bare-${number}` },
    spec: { ipFamilies: ['IPv4'], ports: [{ name: 'http', port: 80 }] },
  };
  const resolvers = addresses.map((address) => ({ address, family: 'IPv4', nodeName: 'node-1', state: 'ready' }));
  const [slice] = buildResolverSlices(service, 'standby', [routeOf(number)], resolvers);
  return { ...slice, metadata: { ...slice.metadata, labels: {} } };
}

function* buildService(number, prometheus) {
  const [namespace, name] = [namespaceOf(number), nameOf(number)];
  const labels = { app: name };
  const replicas = isAsleep(number) ? 0 : 1;
  const container = {
    name: 'web',
    image: `registry.example.com/${name}:1.2.3`,
    ports: [{ containerPort: 8080 }],
    env: Array.from({ length: 20 }, (_, n) => ({ name: `SETTING_${n}`, value: `a value of some length for setting ${n} of ${name}` })),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
  };
  yield {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
    status: { observedGeneration: 1, replicas, readyReplicas: replicas, availableReplicas: replicas },
  };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name, labels },
    spec: {
      type: 'ClusterIP',
      clusterIP: `10.96.${(number >> 8) & 255}.${number & 255}`,
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      selector: labels,
      ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }],
    },
  };
  const uid = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  yield service;
  yield* buildChildren(number, service, uid);
  yield {
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    metadata: { namespace, name, uid, finalizers: ['elasti.truefoundry.com/finalizer'] },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      service: name,
      minTargetReplicas: 1,
      cooldownPeriod: 900,
      mode: 'Active',
      forward: 'pod',
      coldStart: 'hold',
      triggers: [
        {
          type: 'prometheus',
          metadata: { serverAddress: prometheus, query: `sum(rate(requests_total{app="${name}"}[1m])) or vector(0)`, threshold: '0.5' },
        },
      ],
    },
  };
}
