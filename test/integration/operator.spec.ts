import { ElastiWorld } from '../fixtures/elasti-world/elasti-world';

jest.setTimeout(180_000);

describe('the operator on the simulator', () => {
  let world: ElastiWorld;

  beforeEach(async () => {
    world = await ElastiWorld.start();
  });

  afterEach(async () => {
    await world.stop();
  });

  it('puts an idle service to sleep and wakes it when it is asked for', async () => {
    const replica = await world.startOperator();
    await world.deploy('web');
    await world.manage('web');

    await world.asleep('web');
    world.prometheus.value = 5;
    const answer = await world.wake(replica, 'web');

    expect(answer.status).toBe(200);
    expect(await world.scaleOf('web')).toBe(1);
    await world.awake('web');
    expect(world.log.emptyMoments('web')).toEqual([]);
  });
});
