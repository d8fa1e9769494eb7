import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';

jest.setTimeout(180_000);

describe('the traffic trigger', () => {
  let world: ElastiWorld;

  beforeAll(async () => {
    world = await ElastiWorld.start();
    await world.startOperator();
  });

  afterAll(async () => {
    await world.stop();
  });

  const triggers = [{ type: 'traffic' as const, metadata: { window: '1s' } }];

  it('puts a service to sleep that nobody has asked for during the window', async () => {
    await world.deploy('quiet');
    await world.manage('quiet', { triggers });

    await world.condition('quiet', 'ScaledDown', 'False', 'FallingAsleep');
    await world.asleep('quiet');

    expect(world.log.emptyMoments('quiet')).toEqual([]);
  });

  it('keeps a service awake whose requests came through a resolver, and takes the resolvers out of its way', async () => {
    const resolver = world.resolvers[0];
    resolver?.tell({ namespace: shop, service: 'visited', lastRequestAgoMs: 10, open: 0 });
    await world.deploy('visited');
    await world.manage('visited', { triggers });

    await world.until('it was seen and stays awake', async () => (await world.eventsOf('visited')).includes('StayedAwake'));
    expect(await world.scaleOf('visited')).toBe(1);
    await world.until('the slice is withdrawn', async () => (await world.slicesOf('visited', 'proxy')).length === 0);

    resolver?.tell({ namespace: shop, service: 'visited' });
    await world.asleep('visited');
    expect(world.log.emptyMoments('visited')).toEqual([]);
  });

  it('does not take it for silence that a resolver has only just begun to count', async () => {
    const resolver = world.resolvers[0];
    resolver?.behave({ countedForMs: 50 });
    await world.deploy('forgotten');
    await world.manage('forgotten', { triggers });

    await world.until('the silence is not believed', async () => (await world.eventsOf('forgotten')).includes('StayedAwake'));
    expect(await world.scaleOf('forgotten')).toBe(1);

    resolver?.behave({});
    await world.asleep('forgotten');
    expect(world.log.emptyMoments('forgotten')).toEqual([]);
  });

  it('counts a resolver that does not answer as busy', async () => {
    await world.deploy('doubtful');
    await world.manage('doubtful', { triggers: [{ type: 'traffic', metadata: { window: '2s' } }] });
    await world.condition('doubtful', 'ScaledDown', 'False', 'FallingAsleep');

    const silent = await world.addResolver((resolver) => resolver.behave({ status: 500 }));
    await world.listResolvers({ draining: [1] });
    await world.until('the silent one is asked', () => Promise.resolve(silent.activityCalls.length > 5));
    expect(await world.scaleOf('doubtful')).toBe(1);

    silent.behave({});
    await world.asleep('doubtful');
    expect(world.log.emptyMoments('doubtful')).toEqual([]);
  });
});
