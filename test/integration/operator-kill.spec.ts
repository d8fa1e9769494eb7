import { ElastiService } from '@elasti/api';
import { Service } from '@elasti/operator-kit';
import { ElastiWorld, shop } from '../fixtures/elasti-world/elasti-world';
import { eventually } from '../eventually';

jest.setTimeout(600_000);

/** How many lives are lived at the same time. */
const atOnce = 8;

/**
 * One service falls asleep, is woken and is deleted, while the first operator dies after so many writes and a second one takes over.
 *
 * Tells how many writes the first one made.
 */
async function live(writes?: number): Promise<number> {
  const world = await ElastiWorld.start();
  try {
    await world.deploy('web');
    await world.autoscale('web', 1);
    await world.manage('web', { minTargetReplicas: 2, autoscaler: { type: 'keda', name: 'web' } });
    const first = await world.startOperator({ writes });
    const stopping = new AbortController();
    const succession = succeed(world, stopping.signal);

    await world.asleep('web');
    expect(await world.kedaState('web')).toBe('paused at 0');
    world.prometheus.value = NaN;
    await eventually('the wake is accepted', async () => ((await wakeAnywhere(world)) ? true : undefined));
    await world.awake('web');
    expect([await world.scaleOf('web'), await world.kedaState('web')]).toEqual([2, 'free']);
    expect(Object.keys(await world.slices('web')).sort()).toEqual(['pods', 'standby']);

    await world.client.delete(ElastiService, { namespace: shop, name: 'web' });
    await eventually('it is gone', async () =>
      (await world.client.find(ElastiService, { namespace: shop, name: 'web' })) === undefined ? true : undefined,
    );
    expect([await world.scaleOf('web'), await world.kedaState('web')]).toEqual([2, 'free']);
    expect(await world.slices('web')).toEqual({ pods: [expect.any(String), expect.any(String)] });
    expect((await world.client.list(Service, { namespace: shop })).items.map(({ metadata }) => metadata.name)).toEqual(['web']);
    expect(world.log.emptyMoments('web')).toEqual([]);

    stopping.abort();
    await succession;
    return first.writes;
  } finally {
    await world.stop();
  }
}

/** Starts another operator when the first one has died. */
async function succeed(world: ElastiWorld, signal: AbortSignal): Promise<void> {
  const [first] = world.replicas;
  const end = await eventually(
    'the first operator dies',
    () => Promise.resolve(signal.aborted ? 'over' : first?.isAlive ? undefined : 'dead'),
    600_000,
  );
  if (end === 'over') return;
  await first?.stop();
  await world.expireLease();
  await world.startOperator();
}

/** As a resolver does for as long as it holds a request. */
async function wakeAnywhere(world: ElastiWorld): Promise<boolean> {
  for (const replica of world.replicas.filter(({ isAlive }) => isAlive)) {
    const answer = await world.wake(replica, 'web').catch(() => undefined);
    if (answer?.status === 200) return true;
  }
  return false;
}

describe('an operator that is killed between any two writes', () => {
  it('leaves what its successor brings to the right end, for a sleep, a wake and a deletion', async () => {
    const whole = await live();
    const lives = Array.from({ length: whole }, (_, writes) => writes).values();

    const failures: unknown[] = [];
    const work = async () => {
      for (const writes of lives) {
        await live(writes).catch((error: unknown) =>
          failures.push(new Error(`killed after ${writes} of ${whole} writes`, { cause: error })),
        );
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));

    expect(failures).toEqual([]);
    expect(whole).toBeGreaterThan(12);
  });
});
