import { ElastiService } from '@elasti/api';
import { type KubeClient, type KubeObject } from '@elasti/operator-kit';
import { privateServiceName, proxySliceName } from '../../../apps/operator/src/controller/resources/child-names';
import { finalizerName } from '../../../apps/operator/src/names';
import { applyYaml } from '../kubectl';

const image = process.env.ECHO_IMAGE ?? 'localhost/echo:e2e';
const ports = [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }];
const annotations = { 'example.com/owner': 'the shop' };

/** Asleep by its resolver, or awake. */
export type KubeElastiState = { readonly state: 'asleep'; readonly resolverIp: string } | { readonly state: 'awake' };

/** A service as KubeElasti leaves it: its finalizer, a copy of the Service, and while it sleeps no replicas and a slice that names the resolver. */
export async function layAsKubeElasti(client: KubeClient, namespace: string, name: string, as: KubeElastiState): Promise<void> {
  const metadata = { name, namespace };
  const labels = { app: name };
  const readinessProbe = { httpGet: { path: '/ready', port: 9000 }, periodSeconds: 1 };
  const container = { name, image, imagePullPolicy: 'IfNotPresent', command: ['node', '/app/main.mjs'], readinessProbe };
  const template = { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 1 } };
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'deployments', name };
  const query = 'sum(rate(requests[1m])) or vector(0)';
  const trigger = { type: 'prometheus', metadata: { query, serverAddress: 'http://prometheus.invalid:9090', threshold: '0.5' } };
  await applyList([
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: as.state === 'asleep' ? 0 : 1, selector: { matchLabels: labels }, template },
    },
    { apiVersion: 'v1', kind: 'Service', metadata: { ...metadata, labels, annotations }, spec: { selector: labels, ports } },
    {
      apiVersion: 'elasti.truefoundry.com/v1alpha1',
      kind: 'ElastiService',
      metadata: { ...metadata, finalizers: [finalizerName] },
      spec: { minTargetReplicas: 1, service: name, cooldownPeriod: 900, scaleTargetRef, triggers: [trigger] },
    },
  ]);
  const { metadata: owner } = await client.get(ElastiService, metadata);
  const status = {
    mode: as.state === 'asleep' ? 'proxy' : 'serve',
    lastReconciledTime: new Date().toISOString(),
    lastScaledUpTime: '2025-01-01T00:00:00Z',
  };
  await client.patch(ElastiService, metadata, { type: 'merge', body: { status } }, { subresource: 'status' });
  const slices = as.state === 'asleep' ? [slice(namespace, name, as.resolverIp)] : [];
  await applyList([privateService(namespace, name, labels, owner.uid ?? ''), ...slices]);
}

/** A copy with labels and annotations, owned by the ElastiService. */
function privateService(namespace: string, name: string, labels: Record<string, string>, uid: string): KubeObject & { spec: object } {
  const owner = {
    apiVersion: 'elasti.truefoundry.com/v1alpha1',
    kind: 'ElastiService',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: privateServiceName(name), namespace, labels, annotations, ownerReferences: [owner] },
    spec: { selector: labels, ports },
  };
}

/** Nobody owns it, and no label says whose it is. */
function slice(namespace: string, service: string, resolverIp: string): KubeObject & { addressType: string } {
  const object = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: proxySliceName(service, 'IPv4'), namespace, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    ports: [{ name: 'http', protocol: 'TCP', port: 8012 }],
    endpoints: [{ addresses: [resolverIp] }],
  };
  return object;
}

async function applyList(items: readonly object[]): Promise<void> {
  await applyYaml(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
}
