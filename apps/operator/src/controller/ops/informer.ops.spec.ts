import { ElastiService, routesLabel } from '@elasti/api';
import { ConfigMap, Deployment, EndpointSlice, formatRef, type ObjectRef, Service } from '@elasti/operator-kit';
import { aDeployment, anElastiService, aService, podsOf, resolversOf } from '../objects.fixture';
import { Shop } from '../shop.fixture';
import { InformerOps } from './informer.ops';

const ref = { namespace: 'shop', name: 'web' };

/** `web` and `api`, each with its own; both reconciled. What is enqueued from then on is counted. */
async function setup() {
  const shop = new Shop();
  const { cluster, replica } = shop;
  cluster.put(ElastiService, anElastiService('api'));
  cluster.put(Service, aService('api'));
  cluster.put(Deployment, aDeployment('api'));
  await replica.reconcile('web');
  await replica.reconcile('api');
  const enqueued: string[] = [];
  const { informers, directory, pods, reports, lifecycle, metrics } = replica;
  const later: string[] = [];
  new InformerOps(informers, directory, pods, reports, lifecycle, metrics).feed({
    enqueue: (key: ObjectRef) => void enqueued.push(formatRef(key)),
    enqueueAfter: (key: ObjectRef) => void later.push(formatRef(key)),
  });
  const news = () => [...new Set(enqueued.splice(0))].sort();
  return { shop, cluster, replica, enqueued, later, news };
}

describe('InformerOps', () => {
  it('enqueues nobody for what was there at the start', async () => {
    const { enqueued } = await setup();

    expect(enqueued).toEqual([]);
  });

  it('lets a target that is scaled up from zero wait: nothing is to be done before its pods are ready', async () => {
    const { cluster, later, news } = await setup();
    cluster.change(Deployment, ref, ({ spec }) => spec && (spec.replicas = 0));
    news();

    cluster.change(Deployment, ref, ({ spec }) => spec && (spec.replicas = 1));

    expect(news()).toEqual([]);
    expect(later).toEqual(['shop/web']);
  });

  it.each<[string, (shop: Shop) => unknown, string[]]>([
    ['its Service', ({ cluster }) => cluster.change(Service, ref, ({ spec }) => spec && (spec.selector = { app: 'new' })), ['shop/web']],
    ['its Service going', ({ cluster }) => cluster.remove(Service, ref), ['shop/web']],
    ['a Service of nobody', ({ cluster }) => cluster.put(Service, aService('other')), []],
    ['its target', ({ cluster }) => cluster.change(Deployment, ref, ({ spec }) => spec && (spec.replicas = 0)), ['shop/web']],
    ['a target of nobody', ({ cluster }) => cluster.put(Deployment, aDeployment('other')), []],
    ['its pods', (shop) => shop.setPods({}), ['shop/web']],
    ['the pods of nobody', ({ cluster }) => cluster.put(EndpointSlice, podsOf('other', {})), []],
    ['the resolvers', ({ cluster }) => cluster.put(EndpointSlice, resolversOf({ '10.0.0.3': 'ready' })), ['shop/api', 'shop/web']],
    ['the idle loop', ({ replica }) => replica.wantSleep('api'), ['shop/api']],
    [
      'a slice of ours that somebody takes away',
      ({ cluster, replica }) =>
        cluster.remove(EndpointSlice, { ...ref, name: replica.informers.ownSlices.getOwnedBy('uid-web')[0]?.metadata.name ?? '' }),
      ['shop/web'],
    ],
    [
      'a change of its own, which its controller hears itself',
      ({ cluster }) => cluster.change(ElastiService, ref, ({ spec }) => (spec.cooldownPeriod = 5)),
      [],
    ],
    [
      'one that comes to its Service',
      ({ cluster }) => cluster.put(ElastiService, anElastiService('late', { spec: { service: 'web' }, createdAt: '2029-06-01T00:00:00Z' })),
      ['shop/web'],
    ],
    [
      'one that comes to its target',
      ({ cluster }) =>
        cluster.put(
          ElastiService,
          anElastiService('late', { spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'deployments', name: 'web' } } }),
        ),
      ['shop/web'],
    ],
    [
      'a ConfigMap of routes that somebody takes away',
      ({ cluster }) =>
        cluster.all(ConfigMap).forEach(({ metadata }) => cluster.remove(ConfigMap, { namespace: 'elasti', name: metadata.name ?? '' })),
      ['shop/api', 'shop/web'],
    ],
    [
      'our own write of routes',
      ({ cluster }) =>
        cluster
          .all(ConfigMap)
          .forEach((shard) =>
            cluster.put(ConfigMap, { ...shard, metadata: { ...shard.metadata, labels: { [routesLabel]: 'true', a: 'b' } } }),
          ),
      [],
    ],
  ])('hears of %s', async (_what, change, expected) => {
    const { shop, news } = await setup();

    change(shop);

    expect(news()).toEqual(expected);
  });

  it('enqueues the one who spoke for a Service before, too', async () => {
    const { cluster, news } = await setup();
    cluster.put(ElastiService, anElastiService('late', { spec: { service: 'web' }, createdAt: '2029-06-01T00:00:00Z' }));
    news();

    cluster.change(ElastiService, ref, ({ spec }) => (spec.service = 'elsewhere'));

    expect(news()).toContain('shop/late');
  });
});
