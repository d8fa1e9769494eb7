import { ElastiService } from '@elasti/api';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import type { OperatorReplica } from '../fixtures/elasti-world/operator-replica';

jest.setTimeout(180_000);

describe('a dry run', () => {
  let world: ElastiWorld;
  let operator: OperatorReplica;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    operator = await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  it('decides and tells, and touches nothing', async () => {
    await world.deploy('web');
    await world.manage('web', { mode: 'DryRun' });

    await world.condition('web', 'Ready', 'False', 'DryRun');
    await world.until('it would be asleep', async () => (await world.get('web')).status?.dryRun?.asleepSince !== undefined);
    world.prometheus.value = 5;
    await world.until('it would have been woken', async () => (await world.get('web')).status?.dryRun?.wakes === 1);

    const { status } = await world.wake(operator, 'web');
    expect(status).toBe(409);
    expect([await world.scaleOf('web'), Object.keys(await world.slices('web'))]).toEqual([1, ['pods']]);
    const writes = world.sim.requests.matching(
      ({ user, verb, resource }) => user === operator.user && verb !== 'get' && resource === 'deployments',
    );
    expect(writes.filter(({ verb }) => !['list', 'watch'].includes(verb))).toEqual([]);
  });

  it('that begins in a sleep gives the target back, and one that ends lets it sleep', async () => {
    world.prometheus.value = 0;
    await world.deploy('later');
    await world.manage('later');
    await world.asleep('later');

    await setMode('DryRun');
    await world.condition('later', 'Ready', 'False', 'DryRun');
    await world.mode('later', 'serve');
    expect([await world.scaleOf('later'), Object.keys(await world.slices('later'))]).toEqual([1, ['pods']]);

    await setMode('Active');
    await world.asleep('later');
    expect(world.log.emptyMoments('later')).toEqual([]);
  });

  async function setMode(mode: 'Active' | 'DryRun'): Promise<void> {
    await world.client.patch(ElastiService, { namespace: shop, name: 'later' }, { type: 'merge', body: { spec: { mode } } });
  }
});
