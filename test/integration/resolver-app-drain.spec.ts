import { RecordingLogger } from '@elasti/operator-kit/testing';
import type { ResolverReplica } from '../fixtures/resolver-world/resolver-replica';
import { ResolverWorld } from '../fixtures/resolver-world/resolver-world';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

function isRefused({ cause }: { cause?: { code?: string } }): true | undefined {
  return cause?.code === 'ECONNREFUSED' ? true : undefined;
}

describe('a resolver that stops', () => {
  let world: ResolverWorld;
  let leaving: ResolverReplica;

  beforeEach(async () => {
    world = await ResolverWorld.start();
    await world.startOperator();
    // So short that only the slices keep its ports open.
    leaving = await world.startResolver({ env: { ELASTI_SETTLE_TIME: '1ms' } });
    await world.startResolver();
  });

  afterEach(async () => {
    await world.stop();
  });

  const unready = async () => eventually('it is unready', async () => ((await leaving.isReady()) ? undefined : true));

  it('serves what it holds after its ports have closed, and ends with the last answer', async () => {
    await world.putToSleep('web');
    const url = await world.routeUrl('web', 80, leaving);
    const release = world.pods.holdReadiness();
    const held = fetch(url);
    await world.held('web', leaving);

    let life: 'draining' | 'over' = 'draining';
    const drained = leaving.drain().then(() => (life = 'over'));
    await unready();
    await world.listResolvers({ draining: [0] });
    await eventually('its ports are closed', () => fetch(url, { signal: AbortSignal.timeout(500) }).then(() => undefined, isRefused));
    const before = life;
    release();
    const answer = await held;
    await drained;

    expect(before).toBe('draining');
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  });

  it('takes requests for as long as a slice names it as ready, and answers them', async () => {
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

  it('says once which settings of KubeElasti have nothing left to do', async () => {
    const logger = new RecordingLogger();

    await world.startResolver({ env: { INITIAL_CAPACITY: '100', QUEUE_RETRY_DURATION: '3' }, logger });

    const said = logger.entries.filter(({ message }) => message === 'settings have nothing left to do');
    expect(said).toMatchObject([{ level: 'info', fields: { variables: ['QUEUE_RETRY_DURATION', 'INITIAL_CAPACITY'] } }]);
  });

  it('is ready although another program has the port of one service, and is kept away from that service alone', async () => {
    await world.putToSleep('web');
    const taken = await world.occupyNextResolver('web');

    const late = await world.startResolver();
    await world.putToSleep('api');
    await eventually('api is sent to both', async () => ((await world.sentTo('api')).includes(late) ? true : undefined));
    const whileTaken = await world.sentTo('web');
    await taken.free();
    await eventually('web is sent to both', async () => ((await world.sentTo('web')).includes(late) ? true : undefined));

    expect(whileTaken).toEqual([world.resolvers[0]]);
  });
});
