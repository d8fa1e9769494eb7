import type { ResolverReplica } from '../fixtures/resolver-world/resolver-replica';
import { ResolverWorld } from '../fixtures/resolver-world/resolver-world';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

describe('a resolver that stops', () => {
  let world: ResolverWorld;
  let leaving: ResolverReplica;

  beforeEach(async () => {
    world = await ResolverWorld.start();
    await world.startOperator();
    leaving = await world.startResolver();
    await world.startResolver();
  });

  afterEach(async () => {
    await world.stop();
  });

  const unready = async () => eventually('it is unready', async () => ((await leaving.isReady()) ? undefined : true));

  it('takes and answers requests until no slice names it, and then those it holds', async () => {
    await world.putToSleep('web');
    const url = await world.routeUrl('web', 80, leaving);
    const release = world.pods.holdReadiness();
    const held = fetch(url);
    await world.held('web', leaving);

    let life: 'draining' | 'over' = 'draining';
    const drained = leaving.drain().then(() => (life = 'over'));
    await unready();
    const stillTaken = fetch(url);
    await world.listResolvers({ draining: [0] });
    release();
    const answers = await Promise.all([held, stillTaken]);

    expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
      [200, 'close'],
      [200, 'close'],
    ]);
    await drained;
    expect(life).toBe('over');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('stays for as long as a slice names it as ready', async () => {
    await world.putToSleep('web');
    const url = await world.routeUrl('web', 80, leaving);

    const drained = leaving.drain();
    await unready();
    const first = await fetch(url);
    const second = await fetch(url);
    await world.listResolvers({ draining: [0] });
    await drained;

    expect([first.status, second.status]).toEqual([200, 200]);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('ends at once when it is told so again', async () => {
    await world.putToSleep('web');
    world.pods.holdReadiness();
    const held = fetch(await world.routeUrl('web', 80, leaving));
    held.catch(() => undefined);
    await world.held('web', leaving);
    const drained = leaving.drain();
    await unready();

    leaving.endNow();
    await drained;

    await expect(held).rejects.toThrow('fetch failed');
  });
});

describe('a resolver that starts', () => {
  let world: ResolverWorld;

  beforeEach(async () => {
    world = await ResolverWorld.start();
    await world.startOperator();
    await world.startResolver();
  });

  afterEach(async () => {
    await world.stop();
  });

  it('is not ready until it listens for every route', async () => {
    await world.putToSleep('web');
    const taken = await world.occupyNextResolver('web');

    const starting = world.startResolver();
    const late = await eventually('it answers', async () => world.resolvers[1]);
    const before = [await late.isReady(), await (await fetch(`${late.url}/healthz`)).json()];
    await taken.free();
    await starting;

    expect(before).toMatchObject([false, { status: 'ok' }]);
    expect(await late.isReady()).toBe(true);
  });
});
