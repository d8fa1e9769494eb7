import { ElastiService } from '@elasti/api';
import { ConfigMap, Deployment, Service } from '@elasti/operator-kit';
import { anElastiService, aService } from './objects.fixture';
import { privateServiceName } from './resources/child-names';
import { Shop, type ShopWish } from './shop.fixture';

const ref = { namespace: 'shop', name: 'web' };

async function reconciled(wish: ShopWish = {}) {
  const shop = new Shop(wish);
  await shop.replica.reconcile();
  return { shop, clock: shop.clock, cluster: shop.cluster, replica: shop.replica };
}

describe('ElastiServiceReconciler', () => {
  it('routes, follows the Service, lets resolvers stand by and says so last', async () => {
    const { shop, cluster, replica } = await reconciled();

    const [claim, , ...rest] = cluster.writes;
    expect(claim).toMatch(/ConfigMap elasti-routes/);
    expect(rest.slice(-3)).toEqual([
      `apply Service ${privateServiceName('web')}`,
      expect.stringMatching(/^apply EndpointSlice elasti-web-standby-/),
      'patch status ElastiService web',
    ]);
    expect(shop.roles()).toEqual(['standby']);
    expect(replica.elastiService().status).toMatchObject({ mode: 'serve', routes: [{ service: 'web', port: 80, name: 'http' }] });
    expect(replica.conditionOf('Ready').status).toBe('True');
  });

  it('writes nothing when all is as it should be', async () => {
    const { cluster, replica } = await reconciled();
    cluster.calls.length = 0;

    await expect(replica.reconcile()).resolves.toEqual({ kind: 'done' });

    expect(cluster.calls).toEqual([]);
    expect(replica.metrics.lines.filter((line) => line.startsWith('reconciled success'))).toHaveLength(2);
  });

  it('waits while many wakes are under way, but not for ever', async () => {
    const { cluster, clock, replica } = await reconciled({ replicas: 0, pods: {} });
    const { promise: never } = Promise.withResolvers<undefined>();
    cluster.before = () => never;
    for (let number = 0; number < 17; number++) {
      const one = anElastiService(`web-${number}`);
      replica.wakes.wake(one, 'it was asked for', new AbortController().signal).catch(() => undefined);
    }

    const inTheRush = await replica.reconcile();
    await clock.advance(3_000);
    const later = await replica.reconcile();

    expect(inTheRush).toMatchObject({ delayMs: 1_000, reason: 'wakes come first' });
    expect(later).not.toMatchObject({ reason: 'wakes come first' });
  });

  it('writes into the route on which port the server speaks first, awake or asleep, and what it does not understand into a condition', async () => {
    const { shop, cluster, replica } = await reconciled();
    const annotate = async (text: string) => {
      cluster.change(Service, ref, ({ metadata }) => (metadata.annotations = { 'elasti.truefoundry.com/protocol': text }));
      await replica.reconcile();
      return cluster.all(ConfigMap).flatMap(({ data }) => Object.values(data ?? {}));
    };
    const silent = '{"namespace":"shop","service":"web","port":80}';
    const greeting = '{"namespace":"shop","service":"web","port":80,"speaksFirst":"server"}';

    const whileAwake = await annotate('tcp-server-first');
    await shop.fallAsleep();
    const notUnderstood = await annotate('81=tcp-server-first');
    const { reason, message } = replica.conditionOf('ServiceFound');
    const whileAsleep = await annotate('http=tcp-server-first');

    expect([whileAwake, notUnderstood, whileAsleep]).toEqual([[greeting], [silent], [greeting]]);
    expect([reason, message]).toEqual(['ProtocolNotUnderstood', expect.stringContaining('elasti.truefoundry.com/protocol')]);
    expect(shop.scale).toBe(0);
  });

  it('touches nothing in a dry run', async () => {
    const { shop, cluster, replica } = await reconciled({ spec: { mode: 'DryRun' } });
    await shop.fallAsleep();

    expect(new Set(cluster.writes)).toEqual(new Set(['patch status ElastiService web']));
    expect(shop.scale).toBe(1);
    expect(replica.conditionOf('Ready')).toMatchObject({ status: 'False', reason: 'DryRun' });
  });

  it('shows what a dry run would have come to, with the sleep that it would be in, for as long as it lasts', async () => {
    const dryRun = { since: '2030-01-01T00:00:00Z', sleptSeconds: 600, wakes: 3, asleepSince: '2030-01-01T01:00:00Z' };
    const shop = new Shop({ spec: { mode: 'DryRun' }, status: { dryRun } });
    const { cluster, replica, clock } = shop;
    const shown = () => replica.metrics.lines.filter((line) => line.startsWith('dryRun ')).at(-1);
    await clock.advance(Date.parse('2030-01-01T02:00:00Z') - clock.now());

    await replica.reconcile();
    expect(shown()).toBe('dryRun shop web web 4200 s, 3 wakes');
    cluster.change(ElastiService, ref, ({ spec }) => (spec.mode = 'Active'));
    await replica.reconcile();

    expect(shown()).toBe('dryRun shop web web none');
  });

  it.each<[string, NonNullable<ShopWish['service']>, string]>([
    ['headless', { clusterIP: 'None' }, 'HeadlessService'],
    ['without a selector', { selector: undefined }, 'ServiceWithoutSelector'],
  ])('refuses a Service that is %s by a condition, and scales nothing', async (_what, service, reason) => {
    const { shop, replica } = await reconciled({ service });
    await shop.fallAsleep();

    expect([shop.scale, shop.named()]).toEqual([1, []]);
    expect(replica.conditionOf('Ready')).toMatchObject({ status: 'False', reason });
  });

  it('gives the target of a sleeping Service back that is refused from now on', async () => {
    const { shop, clock, cluster, replica } = await reconciled();
    await shop.fallAsleep();
    cluster.change(Service, ref, ({ spec }) => spec && (spec.publishNotReadyAddresses = true));

    await replica.reconcileUntilDone();
    expect([shop.scale, shop.roles(), replica.elastiService().status?.mode]).toEqual([1, ['proxy'], 'proxy']);
    shop.setPods({ '10.1.0.2': 'ready' });
    await replica.reconcile();
    await clock.advance(5_000);
    await replica.reconcile();

    expect([shop.roles(), replica.elastiService().status?.mode]).toEqual([[], 'serve']);
  });

  it('lets the older of two ElastiServices on one Service act, and the other one stand aside', async () => {
    const { shop, cluster, replica } = await reconciled();
    cluster.put(ElastiService, anElastiService('late', { spec: { service: 'web' }, createdAt: '2029-06-01T00:00:00Z' }));
    cluster.calls.length = 0;
    replica.wantSleep('late');

    await replica.reconcile('late');

    expect(cluster.writes).toEqual(['patch status ElastiService late']);
    expect(replica.conditionOf('Ready', 'late')).toMatchObject({
      status: 'False',
      reason: 'ServiceClaimed',
      message: expect.stringContaining('web'),
    });
    expect(shop.roles()).toEqual(['standby']);
  });

  it('says that there is no Service, and comes when it does', async () => {
    const { shop, cluster, replica } = await reconciled();
    cluster.remove(Service, ref);
    await expect(replica.reconcile()).resolves.toEqual({ kind: 'done' });
    expect(replica.conditionOf('ServiceFound')).toMatchObject({ status: 'False', reason: 'ServiceNotFound' });

    cluster.put(Service, aService());
    await replica.reconcile();

    expect(replica.conditionOf('Ready').status).toBe('True');
    expect(shop.roles()).toEqual(['standby']);
  });

  it('says that there is no target, keeps what is there and looks again', async () => {
    const { shop, cluster, replica } = await reconciled();
    await shop.fallAsleep();
    cluster.remove(Deployment, ref);

    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter', delayMs: 30_000 });

    expect(replica.conditionOf('TargetFound')).toMatchObject({ status: 'False', reason: 'TargetNotFound' });
    expect(shop.roles()).toEqual(['proxy']);
  });

  it('removes what belonged to a Service that it has no longer', async () => {
    const { shop, cluster, replica } = await reconciled({ spec: { additionalServices: ['api'] } });
    cluster.put(Service, aService('api'));
    await replica.reconcile();
    expect(shop.named('api')).toHaveLength(2);

    cluster.change(ElastiService, ref, ({ spec }) => (spec.additionalServices = []));
    await replica.reconcile();

    expect([shop.named('api'), shop.named('web').length]).toEqual([[], 2]);
    expect(cluster.peek(Service, { namespace: 'shop', name: privateServiceName('api') })).toBeUndefined();
  });

  it('counts a reconcile that failed, and passes the failure on', async () => {
    const { cluster, replica } = await reconciled();
    cluster.change(Service, ref, ({ spec }) => spec && (spec.selector = { app: 'web-2' }));
    cluster.before = () => Promise.reject(new Error('the API server is away'));

    await expect(replica.reconcile()).rejects.toThrow('the API server is away');

    expect(replica.metrics.lines.at(-1)).toMatch(/^reconciled error/);
  });
});

describe('ElastiServiceReconciler.finalize', () => {
  const remove = ({ cluster, clock }: Shop) =>
    cluster.change(ElastiService, ref, ({ metadata }) => (metadata.deletionTimestamp = new Date(clock.now()).toISOString()));

  it('brings the pods back before anything of ours goes', async () => {
    const { shop, clock, replica, cluster } = await reconciled({ spec: { minTargetReplicas: 2 } });
    await shop.fallAsleep();
    remove(shop);

    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });
    expect([shop.scale, shop.roles()]).toEqual([2, ['proxy']]);
    shop.setPods({ '10.1.0.2': 'ready' });
    await replica.reconcile();
    await clock.advance(5_000);
    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });
    expect(shop.named()).toEqual([]);
    await clock.advance(5_000);
    await expect(replica.reconcile()).resolves.toEqual({ kind: 'done' });

    expect(cluster.peek(Service, { namespace: 'shop', name: privateServiceName('web') })).toBeUndefined();
    expect(replica.metrics.lines).toEqual(expect.arrayContaining(['finalized shop web success', 'forget shop web web']));
  });

  it('waits for a target that does not become ready no longer than five minutes', async () => {
    const { shop, clock, replica } = await reconciled();
    await shop.fallAsleep();
    remove(shop);
    await replica.reconcile();

    await clock.advance(5 * 60_000);
    await expect(replica.reconcile()).resolves.toEqual({ kind: 'done' });

    expect([shop.scale, shop.named()]).toEqual([1, []]);
    expect(replica.logger.messages('warn')).toContain('the target did not come back in time and is left as it is');
    expect(replica.events.at(-1)).toMatchObject({
      type: 'Warning',
      reason: 'FailedToScale',
      note: expect.stringContaining('Deployment web'),
    });
    expect(replica.metrics.lines).toContain('finalized shop web error');
  });

  it('gives a target its five minutes also when it was deleted long before an operator came', async () => {
    const { shop, clock, replica } = await reconciled();
    await shop.fallAsleep();
    remove(shop);
    await clock.advance(30 * 60_000);

    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });

    expect([shop.scale, shop.roles()]).toEqual([1, ['proxy']]);
  });

  it('leaves the target alone when another speaks for the Service, or it was a dry run', async () => {
    const { shop, cluster, replica } = await reconciled({ spec: { mode: 'DryRun' } });
    shop.scaleByHand(0);
    remove(shop);

    await expect(replica.reconcile()).resolves.toEqual({ kind: 'done' });

    expect(shop.scale).toBe(0);
    expect(cluster.writes.filter((write) => write.includes('Deployment'))).toEqual([]);
  });

  it('counts a failure and is tried again', async () => {
    const { shop, cluster, replica } = await reconciled();
    await shop.fallAsleep();
    remove(shop);
    cluster.before = () => Promise.reject(new Error('the API server is away'));
    await expect(replica.reconcile()).rejects.toThrow('the API server is away');
    cluster.before = () => undefined;

    await expect(replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });

    expect(replica.metrics.lines).toContain('finalized shop web error');
    expect(shop.scale).toBe(1);
  });
});
