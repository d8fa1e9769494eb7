import { ElastiService, routesLabel } from '@elasti/api';
import { ConfigMap, Deployment, EndpointSlice, formatRef, type ObjectRef, Service } from '@elasti/operator-kit';
import { Ingress } from '../../informer';
import { aDeployment, anElastiService, aService, podsOf, resolversOf } from '../objects.fixture';
import { Shop } from '../shop.fixture';
import { InformerOps } from './informer.ops';

const ref = { namespace: 'shop', name: 'web' };

const anIngress = (services: readonly string[], annotations: Record<string, string> = {}): Ingress => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { namespace: 'shop', name: 'front', annotations },
  spec: { ingressClassName: 'nginx', rules: [{ http: { paths: services.map((name) => ({ backend: { service: { name } } })) } }] },
});

/** Claims the resolver port of `web` for another Service, in a ConfigMap where it does not belong. */
function dispute({ cluster, replica }: Shop): void {
  const port = replica.elastiService().status?.routes?.[0]?.resolverPort;
  const metadata = { namespace: 'elasti', name: 'elasti-routes-3', labels: { [routesLabel]: 'true' } };
  const data = { [String(port)]: JSON.stringify({ namespace: 'shop', service: 'other', port: 80 }) };
  cluster.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
}

const routesOf = ({ cluster }: Shop) => cluster.all(ConfigMap).filter(({ data = {} }) => Object.keys(data).length > 0);

/** `web` and `api`, each with its own; both reconciled. What is enqueued from then on is counted. */
async function setup(prepare: (shop: Shop) => void = () => undefined) {
  const shop = new Shop();
  const { cluster, replica } = shop;
  prepare(shop);
  cluster.put(ElastiService, anElastiService('api'));
  cluster.put(Service, aService('api'));
  cluster.put(Deployment, aDeployment('api'));
  await replica.reconcile('web');
  await replica.reconcile('api');
  const enqueued: string[] = [];
  const priorities: number[] = [];
  const { informers, directory, pods, reports, lifecycle, metrics } = replica;
  const later: string[] = [];
  new InformerOps(informers, directory, pods, reports, lifecycle, metrics).feed({
    enqueue: (key: ObjectRef, priority?: number) => {
      enqueued.push(formatRef(key));
      priorities.push(priority ?? 0);
    },
    enqueueAfter: (key: ObjectRef) => void later.push(formatRef(key)),
  });
  const news = () => [...new Set(enqueued.splice(0))].sort();
  return { shop, cluster, replica, enqueued, priorities, later, news };
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
    ['an Ingress that goes past its Service', ({ cluster }) => cluster.put(Ingress, anIngress(['web', 'nobody'])), ['shop/web']],
    [
      'an Ingress that leads to its Service',
      ({ cluster }) => cluster.put(Ingress, anIngress(['web'], { 'nginx.ingress.kubernetes.io/service-upstream': 'true' })),
      [],
    ],
    [
      'another Service that selects its pods',
      ({ cluster }) => cluster.put(Service, aService('other', { selector: { app: 'web', tier: 'canary' } })),
      ['shop/web'],
    ],
    ['a port of it that another claims', (shop) => dispute(shop), ['shop/web']],
    [
      'its record of routes that somebody takes away',
      (shop) => routesOf(shop).forEach((shard) => shop.cluster.put(ConfigMap, { ...shard, data: {} })),
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

  it('hears that a dispute about its port is mended', async () => {
    const { shop, news } = await setup();
    dispute(shop);
    news();

    shop.cluster.change(ConfigMap, { namespace: 'elasti', name: 'elasti-routes-3' }, (shard) => (shard.data = {}));

    expect(news()).toEqual(['shop/web']);
  });

  it('hears of routes that are given out only who asked for them', async () => {
    const { shop, cluster, replica, news } = await setup();
    cluster.put(Service, aService('late'));
    cluster.put(ElastiService, anElastiService('late'));
    news();

    await replica.routes.route(anElastiService('late'), [aService('late')], shop.signal);

    expect(news()).toEqual([]);
  });

  it('enqueues for a changed Ingress only those to whom it means something new', async () => {
    const { cluster, news } = await setup();
    cluster.put(Ingress, anIngress(['web']));
    news();

    cluster.put(Ingress, anIngress(['web', 'api']));
    expect(news()).toEqual(['shop/api']);
    cluster.put(Ingress, anIngress(['web', 'api'], { 'nginx.ingress.kubernetes.io/service-upstream': 'true' }));
    expect(news()).toEqual(['shop/api', 'shop/web']);
    cluster.remove(Ingress, { namespace: 'shop', name: 'front' });
    expect(news()).toEqual([]);
  });

  it('hears of Ingresses that are known only after the first reconciles, and lets all else go first', async () => {
    const { enqueued, priorities } = await setup(({ cluster }) => cluster.put(Ingress, anIngress(['web'])));

    expect([enqueued, priorities]).toEqual([['shop/web'], [-100]]);
  });

  it('enqueues for a Service only those whose pods it selects, though all selectors have a label in common', async () => {
    const { cluster, news } = await setup();
    for (const name of ['web', 'api']) {
      cluster.change(Service, { namespace: 'shop', name }, ({ spec }) => spec && (spec.selector = { app: name, env: 'prod' }));
    }
    news();

    cluster.put(Service, aService('other', { selector: { app: 'other', env: 'prod' } }));
    expect(news()).toEqual([]);
    cluster.change(Service, { namespace: 'shop', name: 'other' }, ({ spec }) => spec && (spec.selector = { app: 'web' }));
    expect(news()).toEqual(['shop/web']);
    cluster.change(Service, { namespace: 'shop', name: 'other' }, ({ spec }) => spec && (spec.ports = [{ port: 81 }]));
    expect(news()).toEqual([]);
    cluster.remove(Service, { namespace: 'shop', name: 'other' });
    expect(news()).toEqual(['shop/web']);
  });

  it('enqueues the one who spoke for a Service before, too', async () => {
    const { cluster, news } = await setup();
    cluster.put(ElastiService, anElastiService('late', { spec: { service: 'web' }, createdAt: '2029-06-01T00:00:00Z' }));
    news();

    cluster.change(ElastiService, ref, ({ spec }) => (spec.service = 'elsewhere'));

    expect(news()).toContain('shop/late');
  });
});
