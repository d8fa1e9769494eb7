import { ElastiService } from '@elasti/api';
import { ConflictError, Deployment } from '@elasti/operator-kit';
import { formatCall } from '../fake-cluster.fixture';
import { anElastiService } from '../objects.fixture';
import { Shop, type ShopWish } from '../shop.fixture';
import type { SleepRequest } from './sleep.ops';

const ref = { namespace: 'shop', name: 'web' };
const autoscaler = { type: 'keda', name: 'web' } as const;
const scaledObject = { group: 'keda.sh', version: 'v1alpha1', kind: 'ScaledObject', plural: 'scaledobjects', namespaced: true };

function setup(wish: ShopWish = {}) {
  const shop = new Shop({
    status: { heldTarget: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', autoscaler: wish.spec?.autoscaler } },
    ...wish,
  });
  const { cluster, replica, signal } = shop;
  cluster.put(scaledObject, { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledObject', metadata: { ...ref } });
  const sleep = (request: Partial<SleepRequest> = {}) => {
    const web = replica.elastiService();
    const services = [{ namespace: 'shop', service: 'web' }];
    const usual = { sharers: [web], services, reason: 'idle', publishedForMs: 5_000, silence: 'not asked' } as const;
    return replica.sleeps.scaleDown(web, { ...usual, ...request }, signal);
  };
  const kedaOf = () => cluster.look(scaledObject, ref).metadata.annotations?.['autoscaling.keda.sh/paused'];
  return { shop, cluster, replica, sleep, kedaOf };
}

describe('SleepOps', () => {
  it('looks, scales to zero, and looks once more whether it was asked for', async () => {
    const { shop, cluster, replica, sleep } = setup();

    await expect(sleep()).resolves.toEqual({ kind: 'asleep' });

    expect(cluster.calls.map(formatCall)).toEqual([
      'get ElastiService web',
      'getScale Deployment web',
      'replaceScale Deployment web',
      'get ElastiService web',
    ]);
    expect(shop.scale).toBe(0);
    expect(replica.events).toEqual([{ type: 'Normal', reason: 'SuccessToScale', action: 'Sleep', note: 'scaled down to 0: idle' }]);
    expect(replica.metrics.lines).toEqual(['scaled shop web scale-down success Deployment-web']);
  });

  it('writes down whom it puts to sleep, before it touches anything, where the status does not say so yet', async () => {
    const heldTarget = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'former', autoscaler };
    const { cluster, replica, sleep } = setup({ status: { heldTarget } });

    await sleep();

    expect(cluster.writes).toEqual(['patch status ElastiService web', 'replaceScale Deployment web']);
    expect(replica.elastiService().status?.heldTarget).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' });
  });

  it('pauses KEDA before the last pod goes', async () => {
    const { cluster, kedaOf, sleep } = setup({ spec: { autoscaler } });

    await sleep();

    expect(cluster.writes).toEqual(['patch ScaledObject web', 'replaceScale Deployment web']);
    expect(kedaOf()).toBe('true');
  });

  it('ends awake when a wake comes between its looks', async () => {
    const { shop, cluster, replica, sleep } = setup();
    cluster.before = async ({ verb }) => {
      if (verb !== 'replaceScale') return;
      cluster.before = () => undefined;
      await replica.wakes.wake(replica.elastiService(), 'a request came', shop.signal);
    };

    await expect(sleep()).resolves.toEqual({ kind: 'changed' });

    expect(shop.scale).toBe(1);
  });

  it('ends awake when another ElastiService of the same target is asked for meanwhile', async () => {
    const { shop, cluster, replica, sleep } = setup();
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const api = cluster.put(ElastiService, anElastiService('api', { spec: { scaleTargetRef, minTargetReplicas: 2 } }));
    cluster.before = async ({ verb }) => {
      if (verb !== 'replaceScale') return;
      cluster.before = () => undefined;
      await replica.wakes.stampBusy(api, shop.signal);
    };

    await expect(sleep({ sharers: [replica.elastiService(), api] })).resolves.toEqual({ kind: 'changed' });

    expect(shop.scale).toBe(2);
  });

  it('scales down only what nobody has scaled since it was read, and then lets KEDA go again', async () => {
    const { shop, cluster, kedaOf, sleep } = setup({ spec: { autoscaler } });
    cluster.before = ({ verb }) => {
      if (verb === 'replaceScale') shop.scaleByHand(4);
    };

    await expect(sleep()).rejects.toThrow(ConflictError);

    expect([shop.scale, kedaOf()]).toEqual([4, 'false']);
  });

  it.each<[string, (shop: Shop) => void]>([
    ['edited', ({ cluster }) => cluster.change(ElastiService, ref, ({ spec }) => (spec.minTargetReplicas = 2))],
    [
      'deleted',
      ({ cluster }) => cluster.change(ElastiService, ref, ({ metadata }) => (metadata.deletionTimestamp = '2030-01-01T00:00:00Z')),
    ],
    ['removed', ({ cluster }) => cluster.remove(ElastiService, ref)],
    ['woken', ({ cluster }) => cluster.change(ElastiService, ref, (o) => (o.status = { lastScaledUpTime: '2029-12-31T23:59:59.000Z' }))],
    [
      'found busy long ago, which it did not know',
      ({ cluster }) => cluster.change(ElastiService, ref, (o) => (o.status = { lastScaledUpTime: '2029-06-01T00:00:00.000Z' })),
    ],
  ])('leaves one awake that was %s since it was judged', async (_what, meanwhile) => {
    const { shop, cluster, replica } = setup();
    const judged = replica.elastiService();
    meanwhile(shop);

    const services = [{ namespace: 'shop', service: 'web' }];
    const request = { sharers: [judged], services, reason: 'idle', publishedForMs: 0, silence: 'not asked' } as const;
    await expect(replica.sleeps.scaleDown(judged, request, shop.signal)).resolves.toEqual({ kind: 'changed' });

    expect([shop.scale, cluster.writes]).toEqual([1, []]);
  });

  it.each<[string, Partial<SleepRequest>, Shop['replica']['activity']['heard'], string]>([
    ['something is open', {}, { state: 'active' }, 'requests are open through a resolver'],
    [
      'requests came and silence was asked for',
      { silence: 'asked' },
      { state: 'silent', forMs: 4_999, since: 'a request' },
      'requests came through a resolver',
    ],
    [
      'silence was asked for and a resolver has not counted for so long',
      { silence: 'asked' },
      { state: 'silent', forMs: 4_999, since: 'the counting began' },
      'a resolver has not been counting requests for as long as silence is asked for',
    ],
  ])('stays awake and counts as busy when %s', async (_what, request, heard, reason) => {
    const { shop, replica, cluster, sleep } = setup();
    replica.activity.heard = heard;

    await expect(sleep(request)).resolves.toEqual({ kind: 'busy', reason });

    expect([shop.scale, cluster.writes]).toEqual([1, ['patch status ElastiService web']]);
  });

  it('counts what it cannot know of the traffic as busy', async () => {
    const { shop, replica, sleep } = setup();
    replica.activity.heard = { state: 'unknown', problem: 'resolver pod r1 did not answer' };

    await expect(sleep()).resolves.toEqual({ kind: 'busy', reason: 'resolver pod r1 did not answer' });

    expect(shop.scale).toBe(1);
  });

  it.each<[string, Partial<SleepRequest>, number]>([
    ['what came before the resolvers joined', { silence: 'asked' }, 5_000],
    ['what came where no trigger asks for silence', { silence: 'not asked' }, 10],
  ])('is not kept awake by %s', async (_what, request, forMs) => {
    const { replica, sleep } = setup();
    replica.activity.heard = { state: 'silent', forMs, since: 'the counting began' };

    await expect(sleep(request)).resolves.toEqual({ kind: 'asleep' });
  });

  it('writes nothing for a target that is at zero already', async () => {
    const { cluster, sleep } = setup({ replicas: 0 });

    await expect(sleep()).resolves.toEqual({ kind: 'asleep' });

    expect(cluster.writes).toEqual([]);
    expect(cluster.look(Deployment, ref).spec?.replicas).toBe(0);
  });
});
