import { settle } from '@elasti/operator-kit/testing';
import { sample } from '../triggers/query-transport.fixture';
import { anElastiService, setupIdleWorld as setup } from './idle-world.fixture';

const busy = sample(1);

describe('the IdleLoop', () => {
  it('waits until what it reads is all there', async () => {
    const { world, abort } = setup();
    const syncing = Promise.withResolvers<undefined>();
    world.synced = syncing.promise;
    let isWarm = false;

    const warming = world.loop.warmUp(abort.signal).then(() => (isWarm = true));
    await settle();
    expect(isWarm).toBe(false);

    syncing.resolve(undefined);
    await warming;
  });

  it('runs a round as soon as it leads, and one in every polling interval', async () => {
    const { world, clock, abort } = setup(anElastiService('web'));
    const rounds = () => world.transport.queries.filter((query) => query === 'web').length;

    const running = world.loop.run(abort.signal);
    await settle();
    expect(rounds()).toBe(1);
    await clock.advance(29_999);
    expect(rounds()).toBe(1);
    await clock.advance(1);
    expect(rounds()).toBe(2);
    await clock.advance(60_000);
    expect(rounds()).toBe(4);

    abort.abort(new Error('stopping'));
    await running;
  });

  it('lets no round begin before the last has ended, and makes up for the one that was due meanwhile', async () => {
    const { world, clock, abort, logger } = setup(anElastiService('web'));
    world.scales.scales.set('web', 0);
    world.replies.set('web', busy);
    const gate = Promise.withResolvers<undefined>();
    world.waker.gate = gate.promise;

    const running = world.loop.run(abort.signal);
    await clock.advance(45_000);
    expect(world.waker.calls).toHaveLength(1);
    expect(logger.messages('warn')).toEqual(['an idle round takes longer than the polling interval']);

    gate.resolve(undefined);
    await settle();
    expect(world.waker.calls).toHaveLength(2);
    abort.abort(new Error('stopping'));
    await running;
  });

  it('polls everybody in every interval, though one server takes all the time that a round has', async () => {
    const metadata = { serverAddress: 'http://quick:9090', query: 'web', threshold: '1' };
    const slow = Array.from({ length: 100 }, (_, n) => anElastiService(`slow-${n}`));
    const { world, clock, abort } = setup(anElastiService('web', { spec: { triggers: [{ type: 'prometheus', metadata }] } }), ...slow);
    for (const { spec } of slow) world.replies.set(spec.service, 'silence');
    const rounds = () => world.transport.queries.filter((query) => query === 'web').length;
    const running = world.loop.run(abort.signal);
    await settle();

    await clock.advance(10 * 30_000);

    expect(rounds()).toBe(11);
    abort.abort(new Error('stopping'));
    await running;
  });

  it('goes on after a round that failed', async () => {
    const { world, clock, abort, logger } = setup(anElastiService('web'));
    world.scales.scales.set('web', 'silence');
    const running = world.loop.run(abort.signal);
    await clock.advance(45_000);
    world.scales.scales.set('web', 1);

    await clock.advance(15_000);

    expect(logger.messages('error')).toEqual(['an idle round failed']);
    expect(world.report('web')?.wants).toBe('sleep');
    abort.abort(new Error('stopping'));
    await running;
  });

  it('stops at once in the middle of a round, and leaves nothing behind', async () => {
    const { world, clock, abort, logger } = setup(anElastiService('web'), anElastiService('stuck'));
    world.replies.set('web', 'silence');
    world.scales.scales.set('stuck', 'silence');
    const running = world.loop.run(abort.signal);
    await settle();

    abort.abort(new Error('stopping'));
    await running;

    expect([clock.pendingTimers, world.ticker.running, world.transport.open]).toEqual([0, 0, 0]);
    expect([world.report('web'), world.report('stuck'), logger.entries]).toEqual([undefined, undefined, []]);
  });
});
