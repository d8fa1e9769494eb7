import { ElastiService } from '@elasti/api';
import { type KubeObject, Node, type ResourceDefinition, Service } from '@elasti/operator-kit';
import { Ingress } from '../../informer';
import { anElastiService, aService } from '../objects.fixture';
import { Shop, type ShopWish } from '../shop.fixture';

const observe = (shop: Shop) => shop.replica.scenes.observe(shop.replica.elastiService(), shop.signal);
const reasonsOf = (findings: readonly { readonly reason: string }[]) => findings.map(({ reason }) => reason);

describe('SceneOps', () => {
  it('finds the Service, the target and how long there were pods', async () => {
    const shop = new Shop();
    await observe(shop);
    await shop.clock.advance(2_000);

    await expect(observe(shop)).resolves.toMatchObject({
      services: [{ metadata: { name: 'web' } }],
      missing: [],
      refusals: [],
      warnings: [],
      target: { replicas: 1 },
      readyForMs: 2_000,
    });
    expect(shop.cluster.calls).toEqual([]);
  });

  it('says who is missing, of the additional ones, too', async () => {
    const shop = new Shop({ spec: { additionalServices: ['api'] } });

    await expect(observe(shop)).resolves.toMatchObject({ missing: ['api'], services: [{ metadata: { name: 'web' } }] });
  });

  it('leaves an additional Service to the one who speaks for it', async () => {
    const shop = new Shop({ spec: { additionalServices: ['api'] } });
    shop.cluster.put(Service, aService('api'));
    shop.cluster.put(ElastiService, anElastiService('api', { createdAt: '2020-01-01T00:00:00Z' }));

    await expect(observe(shop)).resolves.toMatchObject({ missing: [], services: [{ metadata: { name: 'web' } }] });
  });

  it('counts pods as ready only when every Service has one', async () => {
    const shop = new Shop({ spec: { additionalServices: ['api'] } });
    shop.cluster.put(Service, aService('api'));

    await expect(observe(shop)).resolves.toMatchObject({ readyForMs: undefined });
  });

  it.each<[string, ShopWish['spec'], string]>([
    ['operator', { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'manager' } }, 'ElastiItself'],
    ['resolver', { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'deployments', name: 'resolver' } }, 'ElastiItself'],
  ])('knows the %s itself', async (_what, spec, reason) => {
    const env = {
      ELASTI_OPERATOR_NAMESPACE: 'shop',
      ELASTI_RESOLVER_NAMESPACE: 'shop',
      ELASTI_OPERATOR_DEPLOYMENT_NAME: 'manager',
      ELASTI_RESOLVER_DEPLOYMENT_NAME: 'resolver',
    };

    const { refusals } = await observe(new Shop({ spec, env }));

    expect(reasonsOf(refusals)).toEqual([reason]);
  });

  it.each([
    [['node-1'], []],
    [['node-1', 'node-2'], ['LocalTrafficPolicy']],
  ])('refuses a local traffic policy unless every node has a resolver: %j', async (nodes, expected) => {
    const shop = new Shop({ service: { internalTrafficPolicy: 'Local' } });
    for (const name of nodes) shop.cluster.put(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    shop.cluster.put({ ...slices }, resolverOn('node-1'));

    const { refusals } = await observe(shop);

    expect(reasonsOf(refusals)).toEqual(expected);
  });

  it('warns of other Services with the same pods, unless they are its own, and of an Ingress that goes past the Service', async () => {
    const ports = [
      { name: 'http', port: 80 },
      { name: 'admin', port: 90 },
    ];
    const shop = new Shop({ service: { ports }, spec: { additionalServices: ['mine'] } });
    shop.cluster.put(Service, aService('theirs', { selector: { app: 'web', track: 'stable' } }));
    shop.cluster.put(Service, aService('mine', { selector: { app: 'web' } }));
    shop.cluster.put(Ingress, {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { namespace: 'shop', name: 'front' },
      spec: { ingressClassName: 'nginx', defaultBackend: { service: { name: 'web' } } },
    });

    const { warnings } = await observe(shop);

    const messages = warnings.map(({ message }) => message).join();
    expect(messages).toContain('theirs');
    expect(messages).toContain('front');
    expect(messages).not.toContain('mine');
  });
});

const slices: ResourceDefinition = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
};

function resolverOn(nodeName: string): KubeObject {
  const labels = { 'kubernetes.io/service-name': 'elasti-resolver-service' };
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace: 'elasti', name: 'resolvers-1', labels },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], nodeName, conditions: { ready: true } }],
  };
  return slice;
}
