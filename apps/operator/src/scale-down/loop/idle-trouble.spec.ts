import type { ElastiServiceSpec } from '@elasti/api';
import { settle } from '@elasti/operator-kit/testing';
import { TargetNotFoundError } from '../../controller';
import { sample } from '../triggers/query-transport.fixture';
import { anElastiService, setupIdleWorld as setup } from './idle-world.fixture';

const busy = sample(1);
const prometheusAt = (serverAddress: string, query: string): Partial<ElastiServiceSpec> => ({
  triggers: [{ type: 'prometheus', metadata: { serverAddress, query, threshold: '1' } }],
});

describe('trouble', () => {
  it('with one Prometheus delays nobody who asks another, not even their wake', async () => {
    const { world, clock, runRound } = setup(
      anElastiService('stuck', { spec: prometheusAt('http://dead:9090', 'stuck') }),
      anElastiService('asleep'),
      anElastiService('idle'),
    );
    world.replies.set('stuck', 'silence').set('asleep', busy);
    world.scales.scales.set('asleep', 0);

    const round = runRound();
    await settle();
    expect(world.waker.calls).toEqual(['wake asleep: triggers[0] is busy']);
    expect([world.report('idle')?.wants, world.report('stuck')]).toEqual(['sleep', undefined]);

    await clock.advance(5_000);
    await round;
    expect(world.report('stuck')).toMatchObject({
      wants: 'stay',
      triggers: { problem: expect.stringMatching(/dead:9090 did not answer/) },
    });
  });

  it('with a slow Prometheus ends with the polling interval, so that the next round is not late', async () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      anElastiService(`s${index}`, { spec: prometheusAt('http://slow:9090', `s${index}`) }),
    );
    const { world, clock, runRound } = setup(...many);
    world.transport.get = async (request, signal) => {
      // Every single query takes almost all the time it has.
      await new Promise<void>((resolve, reject) => {
        clock.after(4_900, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
      return sample(request.path.includes('min_over_time') ? 1 : 0);
    };

    const round = runRound();
    await clock.advance(30_000);
    await round;

    const wishes = many.map(({ metadata }) => world.report(metadata.name ?? ''));
    expect(wishes.filter((report) => report?.wants === 'sleep').length).toBeGreaterThan(0);
    expect(wishes.at(-1)).toMatchObject({
      wants: 'stay',
      reason: expect.stringMatching(/more queries to answer than a round has time for/),
    });
  });

  it('over hundreds of services is spread over half of the polling interval', async () => {
    const many = Array.from({ length: 600 }, (_, index) => anElastiService(`s${index}`));
    const { world, clock, runRound } = setup(...many);
    const reported = () => many.filter(({ metadata }) => world.report(metadata.name ?? '')).length;

    const round = runRound();
    await settle();
    const atFirst = reported();
    await clock.advance(15_000);
    await round;

    expect(atFirst).toBeLessThanOrEqual(100);
    expect(reported()).toBe(600);
  });

  it('over hundreds of services lets what cannot wait go first, but not for ever', async () => {
    const many = Array.from({ length: 600 }, (_, index) => anElastiService(`s${index}`));
    const { world, clock, runRound } = setup(...many);
    const reported = () => many.filter(({ metadata }) => world.report(metadata.name ?? '')).length;
    world.pressure.isOn = true;

    const round = runRound();
    await settle();
    const atFirst = reported();
    await clock.advance(7_000);
    const underPressure = reported();
    await clock.advance(23_000);
    await round;

    expect(underPressure).toBe(atFirst);
    expect(reported()).toBe(600);
  });

  it('with a wake is told once for each change, and hinders no other', async () => {
    const { world, logger, runRound } = setup(anElastiService('broken'), anElastiService('fine'));
    for (const name of ['broken', 'fine']) {
      world.replies.set(name, busy);
      world.scales.scales.set(name, 0);
    }
    world.waker.failures.set('broken', new TargetNotFoundError('no Deployment broken'));

    await runRound();
    await runRound();
    world.waker.failures.set('broken', new Error('no API server'));
    await runRound();

    expect(world.waker.calls.filter((call) => call.startsWith('wake fine'))).toHaveLength(3);
    expect(logger.entries.map(({ level, message, fields }) => [level, message, fields.name, (fields.error as Error).message])).toEqual([
      ['warn', 'a service could not be woken', 'broken', 'no Deployment broken'],
      ['warn', 'a service could not be woken', 'broken', 'no API server'],
    ]);
  });

  it('that is over is told again when it comes back', async () => {
    const { world, logger, runRound } = setup(anElastiService('web'));
    world.scales.scales.set('web', new Error('no API server'));
    await runRound();
    world.scales.scales.set('web', 1);
    await runRound();
    world.scales.scales.set('web', new Error('no API server'));

    await runRound();

    expect(logger.messages('warn')).toEqual(['a service could not be judged', 'a service could not be judged']);
  });

  it('of an API server that is slow is limited: few effects happen at the same time', async () => {
    const { world, runRound } = setup(...Array.from({ length: 50 }, (_, index) => anElastiService(`s${index}`)));
    const gate = Promise.withResolvers<undefined>();
    world.waker.gate = gate.promise;
    for (const { spec } of world.services) {
      world.replies.set(spec.service, busy);
      world.scales.scales.set(spec.service, 0);
    }

    const round = runRound();
    await settle();
    expect(world.waker.open).toBe(16);
    gate.resolve(undefined);
    await round;

    expect([world.waker.calls.length, world.waker.mostOpen]).toEqual([50, 16]);
  });

  it('of one that never answers ends with the round, and takes back that it may sleep', async () => {
    const { world, clock, runRound } = setup(anElastiService('web'), anElastiService('other'));
    await runRound();
    world.scales.scales.set('web', 'silence');

    const round = runRound();
    const ended = expect(round).rejects.toThrow('took too long');
    await clock.advance(60_000);
    await ended;

    expect([world.report('web')?.wants, world.report('other')?.wants]).toEqual(['stay', 'sleep']);
    expect(clock.pendingTimers).toBe(0);
  });
});
