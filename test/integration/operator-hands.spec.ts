import { ElastiService } from '@elasti/api';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import type { OperatorReplica } from '../fixtures/elasti-world/operator-replica';

jest.setTimeout(180_000);

const undecided = NaN;
const busy = 5;
const idle = 0;

describe("someone else's hand", () => {
  let world: ElastiWorld;
  let operator: OperatorReplica;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    operator = await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  it('that scales the target to zero lets the resolvers take over, and that scales it up gives the traffic back', async () => {
    world.prometheus.say('manual', undecided);
    await world.deploy('manual', 2);
    await world.manage('manual');
    await world.awake('manual');

    await world.scale('manual', 0);
    const { message } = await world.condition('manual', 'ScaledDown', 'True', 'ScaledDownByAnother');
    await world.mode('manual', 'proxy');
    expect(message).toContain('kubectl-scale');
    expect(await world.slicesOf('manual', 'proxy')).toEqual(['127.0.0.1']);

    await world.scale('manual', 1);
    await world.awake('manual');

    expect(await world.scaleOf('manual')).toBe(1);
    expect(await world.slicesOf('manual', 'standby')).toEqual(['127.0.0.1']);
    expect(await world.slicesOf('manual', 'proxy')).toEqual([]);
    expect(world.log.emptyMoments('manual')).toEqual([]);
  });

  it('that scales the target to zero does not keep a request from waking it', async () => {
    world.prometheus.say('asked', undecided);
    await world.deploy('asked', 1);
    await world.manage('asked', { minTargetReplicas: 2 });
    await world.awake('asked');
    await world.scale('asked', 0);
    await world.mode('asked', 'proxy');

    const { status } = await world.wake(operator, 'asked');
    await world.awake('asked');

    expect([status, await world.scaleOf('asked')]).toEqual([200, 2]);
    expect(world.log.emptyMoments('asked')).toEqual([]);
  });

  it('that scales a sleeping target up three times in a row has its will, and the condition says who it is, until the object is changed', async () => {
    world.prometheus.say('wanted', idle);
    await world.deploy('wanted');
    await world.manage('wanted');

    for (let time = 0; time < 3; time++) {
      await world.asleep('wanted');
      await world.scale('wanted', 1, 'argocd-controller');
    }
    const { message } = await world.condition('wanted', 'ScaledDown', 'False', 'KeptAwakeByAnother');
    await world.mode('wanted', 'serve');
    await world.polled(10);

    expect(message).toContain('argocd-controller');
    expect(await world.scaleOf('wanted')).toBe(1);
    await world.condition('wanted', 'ScaledDown', 'False', 'KeptAwakeByAnother');

    await world.client.patch(ElastiService, { namespace: shop, name: 'wanted' }, { type: 'merge', body: { spec: { cooldownPeriod: 2 } } });
    await world.asleep('wanted');
    expect(world.log.emptyMoments('wanted')).toEqual([]);
  });

  it('is not what a wake of our own is taken for, however often it comes', async () => {
    world.prometheus.say('popular', idle);
    await world.deploy('popular');
    await world.manage('popular');

    for (let time = 0; time < 3; time++) {
      await world.asleep('popular');
      expect((await world.wake(operator, 'popular')).status).toBe(200);
    }

    await world.asleep('popular');
    expect(world.log.emptyMoments('popular')).toEqual([]);
  });
});

describe('two ElastiServices', () => {
  let world: ElastiWorld;
  let operator: OperatorReplica;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    operator = await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  it('on one Service: the older one speaks for it, the other says so and follows when the older one goes', async () => {
    world.prometheus.say('a-older', undecided);
    world.prometheus.say('b-younger', undecided);
    await world.deploy('web');
    const shared = { service: 'web', scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } };
    await world.manage('a-older', shared);
    await world.awake('a-older');
    await world.manage('b-younger', shared);

    const { message } = await world.condition('b-younger', 'Ready', 'False', 'ServiceClaimed');
    await world.condition('a-older', 'Ready', 'True');
    expect(message).toContain('a-older');
    expect(await world.slicesOf('web', 'standby')).toEqual(['127.0.0.1']);

    await world.client.delete(ElastiService, { namespace: shop, name: 'a-older' });
    await world.gone('a-older');
    await world.condition('b-younger', 'Ready', 'True');
    world.prometheus.say('b-younger', idle);
    await world.condition('b-younger', 'ScaledDown', 'True', 'Asleep');
    expect(await world.scaleOf('web')).toBe(0);
    expect(await world.slicesOf('web', 'proxy')).toEqual(['127.0.0.1']);
    expect(world.log.emptyMoments('web')).toEqual([]);
  });

  it('on one target: one that is busy keeps it awake, both let it sleep, any wakes it', async () => {
    world.prometheus.say('front', idle);
    world.prometheus.say('back', busy);
    await world.deploy('front');
    await world.expose('back', { app: 'front' });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'front' };
    await world.manage('front');
    await world.manage('back', { scaleTargetRef });
    await world.condition('front', 'TriggersHealthy', 'True');
    await world.condition('back', 'TriggersHealthy', 'True');
    await world.polled(20);
    expect(await world.scaleOf('front')).toBe(1);

    world.prometheus.say('back', idle);
    await world.asleep('front');
    await world.condition('back', 'ScaledDown', 'True', 'Asleep');
    expect([await world.slicesOf('front', 'proxy'), await world.slicesOf('back', 'proxy')]).toEqual([['127.0.0.1'], ['127.0.0.1']]);

    world.prometheus.say('front', undecided);
    const { status } = await world.wake(operator, 'back');
    await world.awake('front');
    await world.awake('back');
    expect([status, await world.scaleOf('front')]).toEqual([200, 1]);
    expect([world.log.emptyMoments('front'), world.log.emptyMoments('back')]).toEqual([[], []]);
  });
});
