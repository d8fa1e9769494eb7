import { getEventListeners } from 'node:events';
import { FakeClock } from '../testing';
import { untilAborted, withTimeout } from './with-timeout';

const endless = (signal: AbortSignal) => untilAborted(new Promise<never>(() => undefined), signal);

function setup() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const options = { clock, timeoutMs: 1_000, signal: stop.signal, reason: () => new Error('too late') };
  const leftovers = () => clock.pendingTimers + getEventListeners(stop.signal, 'abort').length;
  return { clock, stop, options, leftovers };
}

describe('withTimeout', () => {
  it('gives what the work gives and leaves nothing behind', async () => {
    const { options, leftovers } = setup();

    await expect(withTimeout(options, () => Promise.resolve('done'))).resolves.toBe('done');

    expect(leftovers()).toBe(0);
  });

  it('fires the signal of the work at the timeout', async () => {
    const { clock, options, leftovers } = setup();
    const outcome = expect(withTimeout(options, endless)).rejects.toThrow('too late');

    await clock.advance(1_000);

    await outcome;
    expect(leftovers()).toBe(0);
  });

  it('fires the signal of the work together with the outer one', async () => {
    const { stop, options, leftovers } = setup();
    const outcome = expect(withTimeout(options, endless)).rejects.toThrow('enough');

    stop.abort(new Error('enough'));

    await outcome;
    expect(leftovers()).toBe(0);
  });

  it('waits for work that is slow to end', async () => {
    const { clock, options } = setup();
    const work = Promise.withResolvers<string>();
    const outcome = withTimeout(options, () => work.promise);

    await clock.advance(5_000);
    work.resolve('late');

    await expect(outcome).resolves.toBe('late');
  });

  it('begins nothing when the outer signal has fired already', async () => {
    const { stop, options } = setup();
    const work = jest.fn(() => Promise.resolve());
    stop.abort(new Error('enough'));

    await expect(withTimeout(options, work)).rejects.toThrow('enough');

    expect(work).not.toHaveBeenCalled();
  });
});
