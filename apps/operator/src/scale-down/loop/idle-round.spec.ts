import type { ElastiServiceSpec } from '@elasti/api';
import { settle } from '@elasti/operator-kit/testing';
import { type Reply, sample } from '../triggers/query-transport.fixture';
import { anElastiService, setupIdleWorld as setup, type ServiceWish } from './idle-world.fixture';

const busy = sample(1);
const traffic = (window: string): Partial<ElastiServiceSpec> => ({ triggers: [{ type: 'traffic', metadata: { window } }] });

describe('a round of the IdleLoop', () => {
  interface Case extends ServiceWish {
    reply?: Reply;
    replicas?: number;
    activity?: 'quiet' | 'active' | 'unknown';
    wants?: 'sleep' | 'stay';
    reason: RegExp;
    triggers?: unknown;
    silenceMs?: number;
    calls?: string[];
    activityReads?: number;
  }
  const problem = (text: RegExp) => ({ problem: expect.stringMatching(text) });

  it.each<[string, Case]>([
    ['idle', { wants: 'sleep', reason: /^idle for the whole cooldown$/, activityReads: 1 }],
    ['idle and asleep', { replicas: 0, reason: /asleep already/ }],
    ['busy', { reply: busy, reason: /^triggers\[0\] is busy$/, calls: ['stamp web'] }],
    ['busy and asleep', { reply: busy, replicas: 0, reason: /busy/, calls: ['wake web: triggers[0] is busy'] }],
    ['busy and stamped just now', { reply: busy, status: { lastScaledUpTime: '2030-01-01T00:00:00Z' }, reason: /busy/ }],
    [
      'with a trigger that fails',
      { reply: { statusCode: 500, body: '' }, reason: /answered 500/, triggers: problem(/^triggers\[0\]: prometheus/) },
    ],
    [
      'asleep with a trigger that fails',
      { reply: { statusCode: 500, body: '' }, replicas: 0, reason: /answered 500/, triggers: problem(/500/) },
    ],
    [
      'with a trigger that makes no sense',
      { spec: { triggers: [{ type: 'prometheus' }] }, reason: /^triggers\[0\]\.metadata: /, triggers: problem(/metadata/) },
    ],
    ['without triggers', { spec: { triggers: [] }, reason: /no trigger/, triggers: 'unknown' }],
    [
      'asleep without triggers, outside of its period',
      {
        spec: { triggers: [], enabledPeriod: { duration: '1m', schedule: '0 12 * * *' } },
        replicas: 0,
        reason: /no trigger/,
        triggers: 'unknown',
      },
    ],
    [
      'outside of its period',
      { spec: { enabledPeriod: { schedule: '0 12 * * *', duration: '1h' } }, reason: /outside/, triggers: 'unknown', calls: ['stamp web'] },
    ],
    [
      'asleep outside of its period',
      {
        spec: { enabledPeriod: { schedule: '0 12 * * *', duration: '1h' } },
        replicas: 0,
        reason: /outside/,
        triggers: 'unknown',
        calls: ['wake web: outside of its enabledPeriod it is kept awake'],
      },
    ],
    [
      'idle inside of its period, by its own time zone',
      {
        spec: { enabledPeriod: { schedule: '0 9 * * *', duration: '1h', timeZone: 'Asia/Tokyo' } },
        wants: 'sleep',
        reason: /idle/,
        activityReads: 1,
      },
    ],
    [
      'with a period that makes no sense',
      { spec: { enabledPeriod: { duration: 'long' } }, reason: /^enabledPeriod\.duration/, triggers: 'unknown', calls: ['stamp web'] },
    ],
    ['woken a moment ago', { status: { lastScaledUpTime: '2029-12-31T23:59:00Z' }, reason: /^900 s must pass/ }],
    ['with a time of its last wake that cannot be read', { status: { lastScaledUpTime: 'lately' }, reason: /900 s must pass/ }],
    ['created a moment ago', { createdAt: '2029-12-31T23:59:00Z', reason: /900 s must pass/ }],
    ['active at a resolver', { activity: 'active', reason: /requests go through/, calls: ['stamp web'], activityReads: 1 }],
    ['perhaps active at a resolver', { activity: 'unknown', reason: /did not say/, activityReads: 1 }],
    ['busy, whatever goes through resolvers', { reply: busy, activity: 'unknown', reason: /busy/, calls: ['stamp web'] }],
    ['idle by traffic', { spec: traffic('5m'), wants: 'sleep', reason: /idle/, silenceMs: 300_000, activityReads: 1 }],
    ['with a bad window', { spec: traffic('soon'), reason: /^triggers\[0\]\.metadata\.window: /, triggers: problem(/window/) }],
    ['in a dry run and idle', { spec: { mode: 'DryRun' }, reason: /idle/, activityReads: 1 }],
    ['in a dry run, busy and asleep', { spec: { mode: 'DryRun' }, reply: busy, replicas: 0, reason: /busy/, calls: ['stamp web'] }],
  ])('does what follows for a service that is %s', async (_what, given) => {
    const { world, runRound } = setup(anElastiService('web', given));
    if (given.reply) world.replies.set('web', given.reply);
    if (given.replicas !== undefined) world.scales.scales.set('web', given.replicas);
    if (given.activity) world.activities.set('web', given.activity);

    await runRound();

    expect(world.report('web')).toEqual({
      wants: given.wants ?? 'stay',
      reason: expect.stringMatching(given.reason),
      triggers: given.triggers ?? 'healthy',
      silenceMs: given.silenceMs ?? 0,
    });
    expect(world.waker.calls).toEqual(given.calls ?? []);
    expect(world.activityReads).toBe(given.activityReads ?? 0);
  });

  it.each<[string, undefined | Error]>([
    ['is not there', undefined],
    ['cannot be read', new Error('no API server')],
  ])('leaves a service alone whose target %s, and asks nobody about it', async (_what, scale) => {
    const { world, runRound } = setup(anElastiService('web', { spec: { enabledPeriod: { schedule: '0 12 * * *', duration: '1h' } } }));
    world.scales.scales.set('web', scale);

    await runRound();

    expect(world.report('web')).toMatchObject({ wants: 'stay', triggers: 'unknown' });
    expect([world.waker.calls, world.transport.queries]).toEqual([[], []]);
  });

  it('asks the resolvers once, however many services might sleep', async () => {
    const { world, runRound } = setup(anElastiService('a'), anElastiService('b'), anElastiService('c'));

    await runRound();

    expect(world.activityReads).toBe(1);
    expect(['a', 'b', 'c'].map((name) => world.report(name)?.wants)).toEqual(['sleep', 'sleep', 'sleep']);
  });

  it.each(['active', 'unknown'] as const)('counts what is %s at a further Service of the same ElastiService', async (activity) => {
    const { world, runRound } = setup(anElastiService('web', { spec: { additionalServices: ['web-admin'] } }), anElastiService('other'));
    world.activities.set('web-admin', activity);

    await runRound();

    expect([world.report('web')?.wants, world.report('other')?.wants]).toEqual(['stay', 'sleep']);
  });

  it.each<[string, (name: string) => ReturnType<typeof anElastiService>]>([
    ['is being deleted', (name) => anElastiService(name, { deletedAt: '2029-12-31T23:00:00Z' })],
    [
      'does not speak for its Service, being the younger of two',
      (name) => anElastiService(name, { spec: { service: 'web' }, createdAt: '2029-06-01T00:00:00Z' }),
    ],
  ])('does nothing for an ElastiService that %s', async (_what, make) => {
    const { world, runRound } = setup(anElastiService('web'), make('silent'));
    world.replies.set('silent', busy);
    world.scales.scales.set('silent', 0);

    await runRound();

    expect([world.report('silent'), world.waker.calls]).toEqual([undefined, []]);
    expect(world.report('web')?.wants).toBe('sleep');
  });

  it('takes back what it reported of a service that is gone, and remembers nothing of it', async () => {
    const { world, clock, runRound } = setup(anElastiService('web'), anElastiService('stays'));
    world.replies.set('web', busy);
    await runRound();

    world.services.shift();
    await runRound();
    expect([world.report('web'), world.report('stays')?.wants]).toEqual([undefined, 'sleep']);

    world.replies.clear();
    world.services.push(anElastiService('web'));
    await clock.advance(1);
    await runRound();
    expect(world.report('web')?.wants).toBe('sleep');
  });

  it('never puts to sleep what was made again under the same name by what is known of the former', async () => {
    const { world, abort, runRound } = setup(anElastiService('web'));
    await runRound();
    world.services.splice(0, 1, anElastiService('web', { uid: 'another', createdAt: '2029-12-31T23:59:59Z' }));
    world.replies.set('web', 'silence');

    const round = runRound();
    await settle();

    expect(world.report('web')).toBeUndefined();
    abort.abort(new Error('stopping'));
    await expect(round).rejects.toThrow('stopping');
  });

  it('remembers when a service was busy, though the stamp was not written', async () => {
    const { world, clock, runRound } = setup(anElastiService('web'));
    world.replies.set('web', busy);
    world.waker.failures.set('web', new Error('no API server'));
    await runRound();

    world.replies.delete('web');
    await clock.advance(899_999);
    await runRound();
    expect(world.report('web')).toMatchObject({ wants: 'stay', reason: expect.stringMatching(/900 s must pass/) });

    await clock.advance(1);
    await runRound();
    expect(world.report('web')?.wants).toBe('sleep');
  });
});
