import type { ElastiServiceSpec } from '@elasti/api';
import { sample } from '../triggers/query-transport.fixture';
import { anElastiService, setupIdleWorld as setup, type IdleWorld } from './idle-world.fixture';

const busy = sample(1);
const onTarget = (name: string): Partial<ElastiServiceSpec> => ({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } });

describe('a dry run', () => {
  it('touches nothing but its own status, and that at a change only', async () => {
    const { world, clock, patches, runRound } = setup(
      anElastiService('web', { spec: { mode: 'DryRun' }, status: { lastScaledUpTime: '2029-12-31T00:00:00Z' } }),
    );

    await runRound();
    await clock.advance(30_000);
    await runRound();
    world.replies.set('web', busy);
    await clock.advance(30_000);
    await runRound();

    expect(world.waker.calls).toEqual(['stamp web']);
    expect(patches.map(({ subresource, patch }) => [subresource, (patch as { body: { status: unknown } }).body.status])).toEqual([
      ['status', { dryRun: { since: '2030-01-01T00:00:00Z', sleptSeconds: 0, wakes: 0, asleepSince: '2030-01-01T00:00:00Z' } }],
      ['status', { dryRun: { since: '2030-01-01T00:00:00Z', sleptSeconds: 60, wakes: 1, asleepSince: null } }],
    ]);
  });

  it.each<[string, (world: IdleWorld) => void, number]>([
    ['a trigger is busy', (world) => world.replies.set('web', busy), 1],
    ['a trigger fails', (world) => world.replies.set('web', { statusCode: 500, body: '' }), 0],
    ['requests go through a resolver', (world) => world.activities.set('web', 'active'), 1],
    [
      'the cooldown began anew',
      (world) =>
        (world.services[0] = anElastiService('web', { spec: { mode: 'DryRun' }, status: { lastScaledUpTime: '2030-01-01T00:00:00Z' } })),
      1,
    ],
    [
      'its period ends',
      (world) =>
        (world.services[0] = anElastiService('web', {
          spec: { mode: 'DryRun', enabledPeriod: { schedule: '0 12 * * *', duration: '1h' } },
        })),
      1,
    ],
    ['its target cannot be found', (world) => world.scales.scales.set('web', undefined), 0],
    [
      'another on its target is busy',
      (world) => {
        world.add(anElastiService('other', { spec: onTarget('web') }));
        world.replies.set('other', busy);
      },
      1,
    ],
  ])('would wake or not when %s', async (_when, happen, wakes) => {
    const { world, clock, patches, runRound } = setup(anElastiService('web', { spec: { mode: 'DryRun' } }));
    await runRound();

    happen(world);
    await clock.advance(30_000);
    await runRound();

    const last = patches.at(-1)?.patch as { body: { status: { dryRun: { wakes: number } } } };
    expect(last.body.status.dryRun.wakes).toBe(wakes);
  });

  it('that is over takes its account with it', async () => {
    const { patches, runRound } = setup(
      anElastiService('web', { status: { dryRun: { since: '2029-12-01T00:00:00Z', sleptSeconds: 5, wakes: 1 } } }),
    );

    await runRound();

    expect(patches).toEqual([
      expect.objectContaining({ patch: { type: 'merge', body: { metadata: { uid: 'uid-web' }, status: { dryRun: null } } } }),
    ]);
  });
});
