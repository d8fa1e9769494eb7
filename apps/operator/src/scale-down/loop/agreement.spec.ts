import type { ElastiServiceSpec } from '@elasti/api';
import { settle } from '@elasti/operator-kit/testing';
import { type Reply, sample } from '../triggers/query-transport.fixture';
import { anElastiService, setupIdleWorld as setup, type ServiceWish } from './idle-world.fixture';

const busy = sample(1);
const onTarget = (name: string): Partial<ElastiServiceSpec> => ({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } });
const prometheusAt = (serverAddress: string, query: string): Partial<ElastiServiceSpec> => ({
  triggers: [{ type: 'prometheus', metadata: { serverAddress, query, threshold: '1' } }],
});

describe('ElastiServices on one target', () => {
  it('sleep only when all agree', async () => {
    const { world, runRound } = setup(anElastiService('a', { spec: onTarget('db') }), anElastiService('b', { spec: onTarget('db') }));

    await runRound();

    expect([world.report('a')?.wants, world.report('b')?.wants]).toEqual(['sleep', 'sleep']);
  });

  it.each<[string, Reply]>([
    ['busy', busy],
    ['without a word', { statusCode: 500, body: '' }],
  ])('stay awake while one is %s, and the others say who it is', async (_what, reply) => {
    const { world, runRound } = setup(anElastiService('a', { spec: onTarget('db') }), anElastiService('b', { spec: onTarget('db') }));
    world.replies.set('b', reply);

    await runRound();

    expect(world.report('a')).toMatchObject({
      wants: 'stay',
      reason: expect.stringMatching(/^b, which has the same target, keeps it awake: triggers\[0\]/),
      triggers: 'healthy',
    });
    expect(world.report('b')?.wants).toBe('stay');
  });

  it.each<[string, ServiceWish]>([
    ['a dry run', { spec: { ...onTarget('db'), mode: 'DryRun' } }],
    ['one that is being deleted', { spec: onTarget('db'), deletedAt: '2029-12-31T23:00:00Z' }],
    ['one that does not speak for its Service', { spec: { ...onTarget('db'), service: 'a' }, createdAt: '2029-06-01T00:00:00Z' }],
  ])('are not kept awake by %s', async (_what, wish) => {
    const { world, runRound } = setup(anElastiService('a', { spec: onTarget('db') }), anElastiService('b', wish));
    world.replies.set('b', busy);

    await runRound();

    expect(world.report('a')?.wants).toBe('sleep');
  });

  it('are the same target by any spelling of its kind', async () => {
    const plural = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'deployments', name: 'db' } };
    const { world, runRound } = setup(anElastiService('a', { spec: onTarget('db') }), anElastiService('b', { spec: plural }));
    world.replies.set('b', busy);

    await runRound();

    expect(world.report('a')?.wants).toBe('stay');
  });

  it('wake it when any of them is busy', async () => {
    const { world, runRound } = setup(anElastiService('a', { spec: onTarget('db') }), anElastiService('b', { spec: onTarget('db') }));
    world.scales.scales.set('db', 0);
    world.replies.set('b', busy);

    await runRound();

    expect(world.waker.calls).toEqual(['wake b: triggers[0] is busy']);
  });

  it('wait for one another, and nobody else does', async () => {
    const slow = { ...onTarget('db'), ...prometheusAt('http://slow:9090', 'slow') };
    const { world, clock, runRound } = setup(
      anElastiService('a', { spec: onTarget('db') }),
      anElastiService('b', { spec: slow }),
      anElastiService('alone'),
    );
    world.replies.set('slow', 'silence');

    const round = runRound();
    await settle();
    expect([world.report('a'), world.report('b'), world.report('alone')?.wants]).toEqual([undefined, undefined, 'sleep']);

    await clock.advance(5_000);
    await round;
    expect(world.report('a')).toMatchObject({ wants: 'stay', reason: expect.stringMatching(/^b, .*did not answer within 5 s$/) });
  });
});
