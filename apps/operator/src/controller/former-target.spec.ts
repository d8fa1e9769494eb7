import { ElastiService } from '@elasti/api';
import { Deployment, EndpointSlice, ForbiddenError, type KubeObject, type ResourceDefinition, Service } from '@elasti/operator-kit';
import { aDeployment, anElastiService, aService, podsOf } from './objects.fixture';
import { Shop, type ShopWish } from './shop.fixture';

const ref = { namespace: 'shop', name: 'web' };
const ScaledObject: ResourceDefinition<KubeObject & { spec: { minReplicaCount?: number } }> = {
  group: 'keda.sh',
  version: 'v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  namespaced: true,
};
const keda = (name: string) => ({ type: 'keda', name }) as const;
const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });

async function asleep(wish: ShopWish = {}) {
  const shop = new Shop(wish);
  for (const name of ['web', 'next']) {
    const metadata = { namespace: 'shop', name };
    shop.cluster.put(ScaledObject, { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata, spec: { minReplicaCount: 1 } });
  }
  shop.cluster.put(Deployment, aDeployment('next', 2));
  await shop.replica.reconcile();
  await shop.fallAsleep();
  return shop;
}

const edit = ({ cluster }: Shop, change: (spec: ElastiService['spec']) => void) =>
  cluster.change(ElastiService, ref, ({ spec }) => change(spec));
const scaleOf = ({ cluster }: Shop, name: string) => cluster.look(Deployment, { namespace: 'shop', name }).spec?.replicas;
const pausedOf = ({ cluster }: Shop, name: string) =>
  cluster.look(ScaledObject, { namespace: 'shop', name }).metadata.annotations?.['autoscaling.keda.sh/paused'];
const heldBy = (shop: Shop, name = 'web') => shop.replica.elastiService(name).status?.heldTarget;

describe('a target that the spec no longer names', () => {
  it('is brought back from its sleep, before the new one is looked after', async () => {
    const shop = await asleep({ spec: { minTargetReplicas: 3 } });
    edit(shop, (spec) => (spec.scaleTargetRef = target('next')));
    shop.cluster.calls.length = 0;

    await shop.replica.reconcile();

    expect([scaleOf(shop, 'web'), scaleOf(shop, 'next'), heldBy(shop)]).toEqual([3, 2, undefined]);
    expect(shop.cluster.writes[0]).toBe('replaceScale Deployment web');
    expect(shop.replica.events.at(-1)?.note).toBe('Deployment-web scaled up to 3: it slept, and the spec names another now');
  });

  it('is brought back by another process, which knows it from the status alone', async () => {
    const shop = await asleep();
    edit(shop, (spec) => (spec.scaleTargetRef = target('next')));

    await shop.anotherReplica().reconcile();

    expect(scaleOf(shop, 'web')).toBe(1);
  });

  it('is brought back when the object is deleted before anybody looked', async () => {
    const shop = await asleep();
    shop.cluster.change(ElastiService, ref, ({ spec, metadata }) => {
      spec.scaleTargetRef = target('next');
      metadata.deletionTimestamp = new Date(shop.clock.now()).toISOString();
    });

    await shop.replica.reconcile();

    expect(scaleOf(shop, 'web')).toBe(1);
  });

  it('is brought back when the new one is not there', async () => {
    const shop = await asleep();
    edit(shop, (spec) => (spec.scaleTargetRef = target('nowhere')));

    await shop.replica.reconcile();

    expect([scaleOf(shop, 'web'), heldBy(shop)]).toEqual([1, undefined]);
  });

  it('has its KEDA unpaused before its pods come back', async () => {
    const shop = await asleep({ spec: { autoscaler: keda('web') } });
    edit(shop, (spec) => {
      spec.scaleTargetRef = target('next');
      spec.autoscaler = keda('next');
    });
    const before = pausedOf(shop, 'web');
    shop.cluster.calls.length = 0;

    await shop.replica.reconcile();

    expect([before, pausedOf(shop, 'web'), scaleOf(shop, 'web')]).toEqual(['true', 'false', 1]);
    expect(shop.cluster.writes.slice(0, 2)).toEqual(['patch ScaledObject web', 'replaceScale Deployment web']);
  });

  it('has its KEDA unpaused also while that is only held to keep a wake', async () => {
    const shop = await asleep({ spec: { autoscaler: keda('web') } });
    shop.cluster.change(ScaledObject, ref, ({ spec }) => (spec.minReplicaCount = 0));
    await shop.replica.wakes.wake(shop.replica.elastiService(), 'a request came', shop.signal);
    shop.setPods({ '10.1.0.1': 'ready' });
    await shop.replica.reconcile();
    await shop.clock.advance(5_000);
    await shop.replica.reconcile();
    const before = pausedOf(shop, 'web');
    edit(shop, (spec) => {
      spec.scaleTargetRef = target('next');
      delete spec.autoscaler;
    });

    await shop.replica.reconcile();

    expect([before, pausedOf(shop, 'web')]).toEqual(['true', 'false']);
  });

  it('stays asleep where another ElastiService has it, and is then no concern of the first', async () => {
    const shop = await asleep();
    shop.cluster.put(Service, aService('api'));
    shop.cluster.put(EndpointSlice, podsOf('api', {}));
    shop.cluster.put(ElastiService, anElastiService('api', { spec: { service: 'api', scaleTargetRef: target('web') } }));
    edit(shop, (spec) => (spec.scaleTargetRef = target('next')));

    await shop.replica.reconcile();

    expect([scaleOf(shop, 'web'), heldBy(shop)]).toEqual([0, undefined]);
  });

  it('is left alone when somebody has set its replicas since, or has removed it', async () => {
    const shop = await asleep({ spec: { minTargetReplicas: 3 } });
    shop.cluster.change(Deployment, ref, ({ spec }) => spec && (spec.replicas = 1));
    edit(shop, (spec) => (spec.scaleTargetRef = target('next')));
    await shop.replica.reconcile();
    const other = await asleep();
    other.cluster.remove(Deployment, ref);
    edit(other, (spec) => (spec.scaleTargetRef = target('next')));

    await expect(other.replica.reconcile()).resolves.toBeDefined();

    expect([scaleOf(shop, 'web'), heldBy(other)]).toEqual([1, undefined]);
  });

  it('is remembered until it can be brought back', async () => {
    const shop = await asleep();
    edit(shop, (spec) => (spec.scaleTargetRef = target('next')));
    const forbidden = new ForbiddenError(403, { kind: 'Status', apiVersion: 'v1', message: 'no' }, 'PUT /scale');
    const refused = jest.spyOn(shop.cluster, 'replaceScale').mockRejectedValueOnce(forbidden);
    await expect(shop.replica.reconcile()).rejects.toThrow(ForbiddenError);
    const before = heldBy(shop);
    refused.mockRestore();

    await shop.replica.reconcile();

    expect([before, scaleOf(shop, 'web')]).toEqual([target('web'), 1]);
  });
});

describe('an autoscaler that the spec no longer names', () => {
  it.each<[string, ElastiService['spec']['autoscaler']]>([
    ['another', keda('next')],
    ['none', undefined],
  ])('is unpaused when the spec names %s, and the target sleeps on', async (_what, autoscaler) => {
    const shop = await asleep({ spec: { autoscaler: keda('web') } });
    edit(shop, (spec) => (spec.autoscaler = autoscaler));

    await shop.replica.reconcile();

    expect([pausedOf(shop, 'web'), scaleOf(shop, 'web')]).toEqual(['false', 0]);
    expect(heldBy(shop)?.autoscaler).toEqual(autoscaler);
  });
});

describe('what is held', () => {
  it('is in the status before the last pod goes, and gone once the pods serve again', async () => {
    const shop = new Shop();
    await shop.replica.reconcile();
    const held: unknown[] = [heldBy(shop)];
    shop.cluster.before = ({ verb }) => {
      if (verb === 'replaceScale') held.push(heldBy(shop));
    };
    await shop.fallAsleep();
    shop.cluster.before = () => undefined;
    await shop.replica.wakes.wake(shop.replica.elastiService(), 'a request came', shop.signal);
    shop.setPods({ '10.1.0.1': 'ready' });
    await shop.replica.reconcile();
    held.push(heldBy(shop));
    await shop.clock.advance(5_000);
    await shop.replica.reconcile();

    expect([...held, heldBy(shop)]).toEqual([undefined, target('web'), target('web'), undefined]);
  });

  it('is nothing when a person has put the target to zero', async () => {
    const shop = new Shop();
    await shop.replica.reconcile();
    shop.scaleByHand(0);

    await shop.replica.reconcile();

    expect(heldBy(shop)).toBeUndefined();
  });

  it('is learned of one that fell asleep before this was written down', async () => {
    const shop = await asleep();
    shop.cluster.change(ElastiService, ref, ({ status }) => delete status?.heldTarget);

    await shop.anotherReplica().reconcile();

    expect(heldBy(shop)).toEqual(target('web'));
  });

  it('costs no call while it stays the same', async () => {
    const shop = await asleep();
    shop.cluster.calls.length = 0;

    await shop.replica.reconcile();

    expect(shop.cluster.calls).toEqual([]);
  });
});
