import { ElastiService } from '@elasti/api';
import { Deployment, EndpointSlice, ForbiddenError, type KubeObject, type ResourceDefinition, Service } from '@elasti/operator-kit';
import { aDeployment, anElastiService, aService, podsOf } from './objects.fixture';
import { Shop } from './shop.fixture';

const ref = { namespace: 'shop', name: 'web' };
const ScaledObject: ResourceDefinition<KubeObject & { spec: { minReplicaCount?: number } }> = {
  group: 'keda.sh',
  version: 'v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  namespaced: true,
};
const remove = ({ cluster, clock }: Shop) =>
  cluster.change(ElastiService, ref, ({ metadata }) => (metadata.deletionTimestamp = new Date(clock.now()).toISOString()));
const edit = ({ cluster }: Shop, change: (object: ElastiService) => void) => cluster.change(ElastiService, ref, change);
const pausedAt = ({ cluster }: Shop) => cluster.look(ScaledObject, ref).metadata.annotations?.['autoscaling.keda.sh/paused-replicas'];

async function awake(wish: ConstructorParameters<typeof Shop>[0] = {}) {
  const shop = new Shop(wish);
  await shop.replica.reconcile();
  return shop;
}

async function asleep(wish: ConstructorParameters<typeof Shop>[0] = {}) {
  const shop = await awake(wish);
  await shop.fallAsleep();
  return shop;
}

describe('giving back', () => {
  it('keeps the standby of a target that a person has put to zero until its pods are back', async () => {
    const shop = await awake();
    shop.scaleByHand(0);
    remove(shop);

    await expect(shop.replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });
    await expect(shop.replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });

    expect([shop.scale, shop.roles()]).toEqual([1, ['standby']]);
  });

  it('has the resolvers that are there now stand by for such a target', async () => {
    const shop = await awake();
    shop.scaleByHand(0);
    remove(shop);
    shop.setResolvers({ '10.0.0.3': 'ready' });

    await shop.replica.reconcile();

    expect(shop.named()).toEqual(['standby: 10.0.0.3']);
  });

  it('does not wait for pods that fail while they are awake', async () => {
    const shop = await awake();
    shop.setPods({ '10.1.0.1': 'not ready' });
    await shop.clock.advance(1_000);
    remove(shop);

    await expect(shop.replica.reconcile()).resolves.toEqual({ kind: 'done' });
  });

  it('brings back what sleeps when it becomes a dry run and is deleted before anybody looked', async () => {
    const shop = await asleep();
    edit(shop, ({ spec }) => (spec.mode = 'DryRun'));
    remove(shop);

    await expect(shop.replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });

    expect([shop.scale, shop.roles()]).toEqual([1, ['proxy']]);
  });

  it('goes by what is there, not by a status that was never written', async () => {
    const shop = await asleep();
    shop.cluster.change(ElastiService, ref, ({ status }) => {
      if (!status) return;
      status.mode = 'serve';
      status.conditions = [];
    });
    edit(shop, ({ spec }) => (spec.mode = 'DryRun'));

    await expect(shop.replica.reconcile()).resolves.toMatchObject({ kind: 'requeueAfter' });

    expect([shop.scale, shop.roles()]).toEqual([1, ['proxy']]);
  });

  it('lets a deletion go on after five minutes, though the target cannot be scaled', async () => {
    const shop = await asleep();
    const forbidden = new ForbiddenError(403, { kind: 'Status', apiVersion: 'v1', message: 'no' }, 'PUT /scale');
    jest.spyOn(shop.cluster, 'replaceScale').mockRejectedValue(forbidden);
    remove(shop);
    await expect(shop.replica.reconcile()).rejects.toThrow(ForbiddenError);

    await shop.clock.advance(5 * 60_000);
    await expect(shop.replica.reconcile()).resolves.toEqual({ kind: 'done' });

    expect(shop.named()).toEqual([]);
  });

  it('lets KEDA go also when the target of a deletion does not come back in time', async () => {
    const shop = await awake({ spec: { autoscaler: { type: 'keda', name: 'web' } } });
    shop.cluster.put(ScaledObject, { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata: ref, spec: { minReplicaCount: 0 } });
    await shop.fallAsleep();
    remove(shop);
    await shop.replica.reconcile();
    expect(pausedAt(shop)).toBe('1');

    await shop.clock.advance(5 * 60_000);
    await expect(shop.replica.reconcile()).resolves.toEqual({ kind: 'done' });

    expect([pausedAt(shop), shop.named()]).toEqual([undefined, []]);
  });

  it('lets KEDA go with everything else', async () => {
    const shop = await awake({ spec: { autoscaler: { type: 'keda', name: 'web' } } });
    shop.cluster.put(ScaledObject, { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata: ref, spec: { minReplicaCount: 0 } });
    await shop.fallAsleep();
    expect(pausedAt(shop)).toBe('0');
    edit(shop, ({ spec }) => (spec.mode = 'DryRun'));

    await shop.replica.reconcile();
    shop.setPods({ '10.1.0.2': 'ready' });
    await shop.replica.reconcile();
    await shop.clock.advance(5_000);
    await shop.replica.reconcile();
    await shop.clock.advance(5_000);
    await expect(shop.replica.reconcile()).resolves.toEqual({ kind: 'done' });

    expect([pausedAt(shop), shop.named(), shop.replica.elastiService().status?.routes]).toEqual([undefined, [], undefined]);
  });

  it('wakes a target that nobody else scales when an older one takes its Service', async () => {
    const shop = await asleep();
    const wish = { service: 'web', scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' } };
    shop.cluster.put(ElastiService, anElastiService('older', { spec: wish, createdAt: '2020-01-01T00:00:00Z' }));

    await shop.replica.reconcile();

    expect(shop.scale).toBe(1);
  });
});

describe('a sleep that is called off', () => {
  it('leaves the resolvers in the Service of a target without a ready pod', async () => {
    const shop = await awake({ spec: { standby: false } });
    shop.replica.wantSleep();
    await shop.replica.reconcile();
    shop.setPods({ '10.1.0.1': 'not ready' });
    shop.replica.activity.heard = { state: 'active' };
    await shop.clock.advance(1_000);
    await shop.replica.reconcile();
    await shop.clock.advance(5_000);

    await shop.replica.reconcile();

    expect([shop.scale, shop.roles()]).toEqual([1, ['proxy']]);
  });
});

describe('a target that several scale', () => {
  async function withSharer(wish: { service?: Partial<NonNullable<Service['spec']>>; spec?: object } = {}) {
    const shop = await awake();
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    shop.cluster.put(Service, aService('api', wish.service));
    shop.cluster.put(EndpointSlice, podsOf('api', { '10.1.0.1': 'ready' }));
    shop.cluster.put(ElastiService, anElastiService('api', { spec: { service: 'api', scaleTargetRef: target, ...wish.spec } }));
    await shop.replica.reconcile('api');
    return shop;
  }

  it('is not even prepared for sleep while one of them cannot sleep, and that is said', async () => {
    const shop = await withSharer({ service: { clusterIP: 'None' } });

    await shop.fallAsleep();

    expect([shop.scale, shop.roles()]).toEqual([1, ['standby']]);
    expect(shop.replica.conditionOf('ScaledDown')).toMatchObject({ reason: 'SharerCannotSleep', message: expect.stringContaining('api') });
  });

  it('has KEDA unpaused by a wake through one that KEDA does not name', async () => {
    const shop = await withSharer();
    edit(shop, ({ spec }) => (spec.autoscaler = { type: 'keda', name: 'web' }));
    const annotations = { 'autoscaling.keda.sh/paused': 'true', 'autoscaling.keda.sh/paused-replicas': '0' };
    const metadata = { ...ref, annotations };
    shop.cluster.put(ScaledObject, { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec: { minReplicaCount: 1 } });
    shop.cluster.put(Deployment, aDeployment('web', 0));

    await shop.replica.wakes.wake(shop.replica.elastiService('api'), 'a request came', shop.signal);

    expect([shop.scale, pausedAt(shop)]).toEqual([1, undefined]);
  });
});
