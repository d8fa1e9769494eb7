import { ElastiService, routesLabel } from '@elasti/api';
import { ConfigMap, Deployment, EndpointSlice, Node, Service } from '@elasti/operator-kit';
import { aDeployment, anElastiService, aService, resolversOf } from '../objects.fixture';
import { Shop, type ShopWish } from '../shop.fixture';

const ref = { namespace: 'shop', name: 'web' };

async function awake(wish: ShopWish = {}) {
  const shop = new Shop(wish);
  await shop.replica.reconcile();
  const { cluster, clock, replica, signal } = shop;
  return { shop, cluster, clock, replica, signal };
}

describe('TrafficOps', () => {
  it('takes the last pod away only after the resolvers have been in the Service for the settle time', async () => {
    const { shop, clock, replica } = await awake();
    replica.wantSleep();

    await replica.reconcile();
    await replica.reconcile();
    await clock.advance(4_999);
    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter', delayMs: 1 });
    expect([shop.scale, shop.roles()]).toEqual([1, ['proxy']]);
    await clock.advance(1);
    await replica.reconcile();

    expect([shop.scale, shop.roles()]).toEqual([0, ['proxy']]);
    expect(replica.conditionOf('ScaledDown')).toMatchObject({ status: 'True', reason: 'Asleep' });
    expect(replica.elastiService().status?.mode).toBe('proxy');
  });

  it('waits longer behind an external load balancer, and as long as a trigger wants silence', async () => {
    const { shop, clock, replica } = await awake({ service: { type: 'LoadBalancer' } });
    replica.wantSleep('web', 120_000);
    await replica.reconcile();
    await replica.reconcile();

    await clock.advance(119_999);
    await replica.reconcile();
    expect(shop.scale).toBe(1);
    await clock.advance(1);
    await replica.reconcile();

    expect(shop.scale).toBe(0);
  });

  it('puts nobody to sleep whose traffic no resolver has just shown it can take', async () => {
    const { shop, clock, replica } = await awake();
    replica.wantSleep();
    await replica.reconcile();
    await replica.reconcile();
    replica.rehearsals.answer = () => ({ cannot: 'cannot reach a pod on port 80' });
    await clock.advance(10_000);

    await replica.reconcile();

    expect([shop.scale, shop.roles()]).toEqual([1, ['standby']]);
    expect(replica.conditionOf('ResolverAvailable')).toMatchObject({
      status: 'False',
      reason: 'RehearsalFailed',
      message: expect.stringContaining('cannot reach a pod on port 80'),
    });
  });

  it('withdraws the proxy slice only after the pods have been ready for the grace', async () => {
    const { shop, clock, replica, signal } = await awake();
    await shop.fallAsleep();
    await replica.wakes.wake(replica.elastiService(), 'asked', signal);
    shop.setPods({ '10.1.0.2': 'ready' });
    replica.wantStay();

    await replica.reconcile();
    await clock.advance(4_999);
    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter', delayMs: 1 });
    expect(shop.roles()).toEqual(['proxy']);
    expect(replica.conditionOf('ScaledDown').reason).toBe('Waking');
    await clock.advance(1);
    await replica.reconcile();

    expect(shop.roles()).toEqual(['standby']);
    expect(replica.conditionOf('ScaledDown').reason).toBe('Awake');
  });

  it('begins the grace anew when the pods were not ready in between', async () => {
    const { shop, clock, replica, signal } = await awake();
    await shop.fallAsleep();
    await replica.wakes.wake(replica.elastiService(), 'asked', signal);
    shop.setPods({ '10.1.0.2': 'ready' });
    await replica.reconcile();
    await clock.advance(4_000);
    shop.setPods({ '10.1.0.2': 'not ready' });
    await replica.reconcile();
    shop.setPods({ '10.1.0.2': 'ready' });
    await replica.reconcile();

    await clock.advance(4_999);
    await replica.reconcile();

    expect(shop.roles()).toEqual(['proxy']);
  });

  it('lets the resolvers take over for a target that somebody scales to zero, and gives the traffic back when it is scaled up', async () => {
    const { shop, clock, replica } = await awake();

    shop.scaleByHand(0, 'kubectl-scale');
    await replica.reconcile();
    await replica.reconcile();
    expect(shop.roles()).toEqual(['proxy']);
    expect(replica.conditionOf('ScaledDown')).toMatchObject({
      status: 'True',
      reason: 'ScaledDownByAnother',
      message: expect.stringContaining('kubectl-scale'),
    });
    shop.scaleByHand(2, 'kubectl-scale');
    shop.setPods({ '10.1.0.2': 'ready' });
    await replica.reconcile();
    await clock.advance(5_000);
    await replica.reconcile();

    expect(shop.roles()).toEqual(['standby']);
    expect(shop.scale).toBe(2);
  });

  it('leaves a target awake that another scales up three times in a row, and says who it is', async () => {
    const { shop, cluster, clock, replica } = await awake();
    for (let times = 0; times < 3; times++) {
      await clock.advance(1_000_000);
      await shop.fallAsleep();
      expect(shop.scale).toBe(0);
      shop.scaleByHand(1, 'argocd-controller');
      shop.setPods({ '10.1.0.1': 'ready' });
      await replica.reconcile();
    }

    await shop.fallAsleep();
    expect(shop.scale).toBe(1);
    expect(replica.conditionOf('ScaledDown')).toMatchObject({
      reason: 'KeptAwakeByAnother',
      message: expect.stringContaining('argocd-controller'),
    });
    cluster.change(ElastiService, ref, ({ spec }) => (spec.cooldownPeriod = 60));
    shop.setPods({ '10.1.0.1': 'ready' });
    await shop.fallAsleep();

    expect(shop.scale).toBe(0);
  });

  it('withdraws again and stays awake when requests came meanwhile, and says so once', async () => {
    const { shop, clock, replica } = await awake();
    replica.wantSleep('web', 5_000);
    replica.activity.heard = { state: 'silent', forMs: 100, since: 'a request' };
    await replica.reconcile();
    await replica.reconcile();
    await clock.advance(5_000);

    await replica.reconcileUntilDone();

    expect([shop.scale, shop.roles()]).toEqual([1, ['standby']]);
    expect(replica.events).toMatchObject([{ reason: 'StayedAwake' }]);
    expect(replica.elastiService().status?.lastScaledUpTime).toBeDefined();
  });

  it('does not put to sleep what was asked for within the cooldown, though the idle loop has not heard of it yet', async () => {
    const { shop, clock, replica, signal } = await awake();
    await replica.wakes.stampBusy(replica.elastiService(), signal);

    await shop.fallAsleep();
    expect(shop.scale).toBe(1);
    shop.setPods({ '10.1.0.1': 'ready' });
    await clock.advance(900_000);
    await shop.fallAsleep();

    expect(shop.scale).toBe(0);
  });

  it('brings a sleeping target back when no resolver has been ready for 30 s, and says why', async () => {
    const { shop, clock, replica } = await awake();
    await shop.fallAsleep();
    shop.setResolvers({});

    await replica.reconcile();
    await clock.advance(29_000);
    await replica.reconcile();
    expect(shop.scale).toBe(0);
    await clock.advance(1_000);
    await replica.reconcile();

    expect(shop.scale).toBe(1);
    expect(replica.events).toContainEqual(expect.objectContaining({ type: 'Warning', reason: 'NoResolver' }));
    expect(replica.conditionOf('ResolverAvailable')).toMatchObject({ status: 'False', reason: 'NoReadyResolver' });
  });

  it('puts a target that two ElastiServices share to sleep only when the resolvers are in the Services of both', async () => {
    const { shop, cluster, clock, replica } = await awake();
    cluster.put(Service, aService('api'));
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    cluster.put(ElastiService, anElastiService('api', { spec: { scaleTargetRef } }));
    await replica.reconcile('api');
    replica.wantSleep('web');
    for (let turn = 0; turn < 3; turn++) {
      await replica.reconcile('web');
      await clock.advance(5_000);
    }
    expect(shop.scale).toBe(1);

    replica.wantSleep('api');
    for (let turn = 0; turn < 3; turn++) {
      await replica.reconcile('api');
      await replica.reconcile('web');
      await clock.advance(5_000);
    }
    await replica.reconcile('api');

    expect(shop.scale).toBe(0);
    expect(shop.named('api')).toEqual(['proxy: 10.0.0.1 ready', 'proxy: 10.0.0.2 ready']);
  });

  it('puts nothing to sleep again on the word that has put it to sleep before', async () => {
    const { shop, clock, replica } = await awake();
    await shop.fallAsleep();
    expect(shop.scale).toBe(0);

    shop.scaleByHand(1);
    shop.setPods({ '10.1.0.2': 'ready' });
    for (let turn = 0; turn < 3; turn++) {
      await replica.reconcile();
      await clock.advance(6_000);
    }

    expect([shop.scale, shop.roles()]).toEqual([1, ['standby']]);
  });

  it('has nobody stand by where the ElastiService says so', async () => {
    const { shop } = await awake({ spec: { standby: false } });

    expect(shop.named()).toEqual([]);
  });

  it('follows resolvers that come and go', async () => {
    const { shop, replica } = await awake();
    await shop.fallAsleep();

    shop.setResolvers({ '10.0.0.2': 'draining', '10.0.0.3': 'ready' });
    await replica.reconcile();

    expect(shop.named()).toEqual(['proxy: 10.0.0.2', 'proxy: 10.0.0.3 ready']);
  });

  it('makes up for a wake that came while a sleep was cut off', async () => {
    const { shop, cluster, replica, signal } = await awake();
    cluster.change(ElastiService, ref, (o) => (o.status = { ...o.status, lastScaledUpTime: '2029-01-01T00:00:00.000Z' }));
    const read = await replica.target.read(replica.elastiService(), signal);
    await replica.wakes.stampBusy(replica.elastiService(), signal);
    await replica.target.scale(replica.elastiService(), read, 0, signal);

    await replica.reconcile();

    expect(shop.scale).toBe(1);
  });

  it('knows a Deployment of another namespace from its own', async () => {
    const { shop, cluster, replica } = await awake();
    cluster.put(Deployment, { ...aDeployment('web', 0), metadata: { namespace: 'other', name: 'web' } });

    await replica.reconcile();

    expect([shop.scale, shop.roles()]).toEqual([1, ['standby']]);
  });
});

describe('a service with two ports of which one is claimed twice', () => {
  const ports = [
    { name: 'http', port: 80 },
    { name: 'admin', port: 81 },
  ];
  /** Claims the resolver port that one of its ports has for another Service. */
  const dispute = ({ cluster, replica }: Shop, port: number) => {
    const resolverPort = replica.elastiService().status?.routes?.find((route) => route.port === port)?.resolverPort;
    const metadata = { namespace: 'elasti', name: 'elasti-routes-3', labels: { [routesLabel]: 'true' } };
    const data = { [String(resolverPort)]: JSON.stringify({ namespace: 'shop', service: 'other', port: 80 }) };
    cluster.put(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  };

  it('stays awake, since nobody would answer on that port, and says so', async () => {
    const { shop, replica } = await awake({ service: { ports } });
    dispute(shop, 81);

    await shop.fallAsleep();

    expect([shop.scale, shop.roles()]).toEqual([1, ['standby']]);
    expect(replica.conditionOf('Ready')).toMatchObject({ status: 'False', reason: 'RouteDisputed' });
    expect(replica.conditionOf('ScaledDown')).toMatchObject({
      status: 'False',
      reason: 'RouteDisputed',
      message: expect.stringContaining('port 81 of web'),
    });
  });

  it('is brought back from its sleep, unless it is mended within 30 s', async () => {
    const { shop, cluster, clock, replica } = await awake({ service: { ports } });
    await shop.fallAsleep();
    dispute(shop, 81);
    await replica.reconcile();
    expect(replica.conditionOf('ResolverAvailable')).toMatchObject({ status: 'False', reason: 'RouteDisputed' });
    cluster.remove(ConfigMap, { namespace: 'elasti', name: 'elasti-routes-3' });
    await clock.advance(29_000);
    await replica.reconcile();
    dispute(shop, 80);
    await replica.reconcile();
    await clock.advance(29_999);
    await replica.reconcile();
    expect(shop.scale).toBe(0);

    await clock.advance(1);
    await replica.reconcile();

    expect(shop.scale).toBe(1);
    expect(replica.events).toContainEqual(
      expect.objectContaining({ reason: 'NoResolver', note: expect.stringContaining('port 80 of web') }),
    );
  });
});

describe('a service behind a Service that keeps traffic on its node', () => {
  const spreadResolvers = ({ cluster }: Shop, nodes: readonly string[]) => {
    const slice = resolversOf(Object.fromEntries(nodes.map((_, n) => [`10.0.0.${n + 1}`, 'ready'])));
    slice.endpoints?.forEach((endpoint, n) => (endpoint.nodeName = nodes[n]));
    cluster.put(EndpointSlice, slice);
  };

  async function setup() {
    const shop = new Shop({ service: { internalTrafficPolicy: 'Local' } });
    for (const name of ['node-1', 'node-2']) shop.cluster.put(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name } });
    spreadResolvers(shop, ['node-1', 'node-2']);
    await shop.replica.reconcile();
    await shop.fallAsleep();
    const { clock, replica } = shop;
    return { shop, clock, replica };
  }

  it('lets it sleep on while the resolver of a node restarts, and says that it is missing', async () => {
    const { shop, clock, replica } = await setup();
    expect(shop.scale).toBe(0);

    spreadResolvers(shop, ['node-1']);
    await replica.reconcile();
    await clock.advance(29_000);
    await replica.reconcile();
    expect(replica.conditionOf('Ready')).toMatchObject({ status: 'False', reason: 'LocalTrafficPolicy' });
    spreadResolvers(shop, ['node-1', 'node-2']);
    await replica.reconcile();
    await clock.advance(1_000);
    await replica.reconcile();

    expect([shop.scale, shop.roles()]).toEqual([0, ['proxy']]);
    expect(replica.conditionOf('Ready').status).toBe('True');
  });

  it('gives it back, in its turn, when a node has had none for 30 s', async () => {
    const { shop, clock, replica } = await setup();
    spreadResolvers(shop, ['node-1']);
    await replica.reconcile();
    await clock.advance(30_000);
    replica.pace.waitMs('shop/another');

    await expect(replica.reconcile()).resolves.toMatchObject({ delayMs: 100 });
    expect(shop.scale).toBe(0);
    await clock.advance(100);
    await replica.reconcile();
    expect(shop.scale).toBe(1);
    shop.setPods({ '10.1.0.2': 'ready' });
    await replica.reconcile();
    await clock.advance(5_000);
    await replica.reconcile();

    expect(shop.named()).toEqual([]);
  });

  it('looks again within 30 s while it sleeps, since nobody tells of new nodes', async () => {
    const { shop, clock, replica } = await setup();

    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter', delayMs: 30_000 });
    shop.cluster.put(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-3' } });
    await clock.advance(30_000);
    await replica.reconcile();

    expect(replica.conditionOf('Ready')).toMatchObject({ status: 'False', reason: 'LocalTrafficPolicy' });
  });
});
