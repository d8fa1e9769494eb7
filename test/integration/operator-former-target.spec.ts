import { ElastiService, type ElastiServiceSpec } from '@elasti/api';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';

jest.setTimeout(180_000);

const idle = 0;

describe('a target that the spec no longer names', () => {
  let world: ElastiWorld;

  beforeAll(async () => {
    world = await ElastiWorld.start();
  });

  afterAll(async () => {
    await world.stop();
  });

  const edit = (name: string, spec: Partial<ElastiServiceSpec>) =>
    world.client.patch(ElastiService, { namespace: shop, name }, { type: 'merge', body: { spec } });
  const target = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });

  it('is brought back with its KEDA free, though no operator ran when the spec changed, and the new one sleeps in its stead', async () => {
    const operator = await world.startOperator();
    world.prometheus.say('moved', idle);
    await world.autoscale('moved', 1);
    await world.deploy('moved');
    await world.deployOnly('moved-next');
    await world.manage('moved', { minTargetReplicas: 2, autoscaler: { type: 'keda', name: 'moved' } });
    await world.asleep('moved');
    expect((await world.get('moved')).status?.heldTarget).toEqual({ ...target('moved'), autoscaler: { type: 'keda', name: 'moved' } });
    expect(await world.kedaState('moved')).toBe('paused at 0');
    await operator.stop();

    await edit('moved', { scaleTargetRef: target('moved-next'), autoscaler: { type: 'hpa', name: 'moved-next' } });
    await world.startOperator();

    await world.until('the old one is back', async () => (await world.scaleOf('moved')) === 2);
    expect(await world.kedaState('moved')).toBe('free');
    await world.until('the new one sleeps', async () => (await world.scaleOf('moved-next')) === 0);
    expect(await world.scaleOf('moved')).toBe(2);
    await world.until('the new one is held', async () => (await world.get('moved')).status?.heldTarget?.name === 'moved-next');
    expect(world.log.emptyMoments('moved')).toEqual([]);
  });
});
