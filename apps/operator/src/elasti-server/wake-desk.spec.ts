import type { ElastiService } from '@elasti/api';
import { FakeClock, settle } from '@elasti/operator-kit/testing';
import type { WakeOutcome } from '../controller';
import { WakeDesk } from './wake-desk';

const web = { metadata: { namespace: 'shop', name: 'web' } } as ElastiService;

function setup() {
  const clock = new FakeClock();
  const accepted = Promise.withResolvers<WakeOutcome>();
  const signals: AbortSignal[] = [];
  const wake = (_: unknown, __: string, signal: AbortSignal) => {
    signals.push(signal);
    return accepted.promise;
  };
  return { clock, accepted, signals, desk: new WakeDesk({ wake }, clock, { maxWaiting: 2, timeoutMs: 10_000, drainMs: 3_000 }) };
}

describe('WakeDesk', () => {
  it('gives what the wake gives and leaves no timer behind', async () => {
    const { clock, accepted, desk } = setup();
    const waiting = desk.wake(web);

    accepted.resolve('already awake');

    await expect(waiting).resolves.toBe('already awake');
    expect(clock.pendingTimers).toBe(0);
  });

  it('gives up on a wake after its time, and tells it so', async () => {
    const { clock, signals, desk } = setup();
    const waiting = expect(desk.wake(web)).rejects.toMatchObject({ why: 'timeout' });

    await clock.advance(10_000);

    await waiting;
    expect(signals[0]?.aborted).toBe(true);
  });

  it('lets only so many wait, and the next one in when one is done', async () => {
    const { accepted, signals, desk } = setup();
    const waiting = [desk.wake(web), desk.wake(web)];

    await expect(desk.wake(web)).rejects.toMatchObject({ why: 'busy' });
    accepted.resolve('scaled');
    await Promise.all(waiting);

    await expect(desk.wake(web)).resolves.toBe('scaled');
    expect(signals).toHaveLength(3);
  });

  it('refuses new calls when stopping, while those that wait have time to end', async () => {
    const { clock, accepted, desk } = setup();
    const waiting = desk.wake(web);

    desk.onModuleDestroy();
    await clock.advance(2_999);
    accepted.resolve('scaled');

    await expect(waiting).resolves.toBe('scaled');
    await expect(desk.wake(web)).rejects.toMatchObject({ why: 'stopping' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('cuts off at the end of the drain time what still waits', async () => {
    const { clock, desk } = setup();
    const waiting = expect(desk.wake(web)).rejects.toMatchObject({ why: 'stopping' });

    desk.onModuleDestroy();
    await clock.advance(3_000);

    await waiting;
    await settle();
    expect(clock.pendingTimers).toBe(0);
  });
});
