import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { priorities, WorkQueue } from './work-queue';
import type { WorkQueueOptions } from './work-queue';

const { low, normal, high } = priorities;
const stopped = new Error('stopped');

function setup(options: Partial<WorkQueueOptions<string>> = {}) {
  const clock = new FakeClock();
  const metrics = new KitMetrics();
  const queue = new WorkQueue<string>({ name: 'test', clock, metrics, ...options });
  return { clock, metrics, queue };
}

/** Takes and finishes whatever can be had without waiting, in order. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const giveUp = new AbortController();
    const next = queue.get(giveUp.signal).catch(() => undefined);
    await settle();
    giveUp.abort(stopped);
    const taken = await next;
    if (!taken) return keys;
    keys.push(taken.key);
    queue.done(taken.key);
  }
}

async function takeOne(queue: WorkQueue): Promise<string> {
  const key = await hold(queue);
  queue.done(key);
  return key;
}

/** Takes a key and does not finish it. */
async function hold(queue: WorkQueue): Promise<string> {
  const taken = await queue.get();
  if (!taken) throw new Error('the queue is shut down');
  return taken.key;
}

/** Whether a promise has settled, seen from outside. */
function watch(promise: Promise<unknown>) {
  const seen = { settled: false };
  void promise.finally(() => (seen.settled = true)).catch(() => undefined);
  return seen;
}

describe('WorkQueue: one key, one worker', () => {
  it('A key added twice before it is taken is delivered once', async () => {
    const { queue } = setup();

    queue.add('a');
    queue.add('b');
    queue.add('a');

    expect(await takeAll(queue)).toEqual(['a', 'b']);
  });

  it('A key added while being processed is not handed out again until done, then once', async () => {
    const { queue } = setup();
    queue.add('a');
    await hold(queue);

    queue.add('a');
    queue.add('a');
    const next = queue.get();
    const seen = watch(next);
    await settle();
    expect(seen.settled).toBe(false);

    queue.done('a');
    expect(await next).toEqual({ key: 'a', priority: normal });
    queue.done('a');
    expect(queue.depth).toBe(0);
  });

  it('Never two workers on one key', async () => {
    const { queue, clock } = setup();
    const held = new Set<string>();
    const worked: string[] = [];
    const overlaps: string[] = [];
    const work = async () => {
      for (let taken = await queue.get(); taken; taken = await queue.get()) {
        if (held.has(taken.key)) overlaps.push(taken.key);
        held.add(taken.key);
        worked.push(taken.key);
        await settle();
        held.delete(taken.key);
        queue.done(taken.key);
      }
    };
    const workers = Array.from({ length: 8 }, work);

    for (let round = 0; round < 50; round++) {
      for (const key of ['a', 'b', 'c']) queue.add(key);
      queue.addAfter('a', 1);
      await clock.advance(1);
    }
    queue.shutDown();
    await Promise.all(workers);

    expect(overlaps).toEqual([]);
    expect(worked.length).toBeGreaterThan(50);
  });

  it('keeps keys apart by the function that makes them comparable', async () => {
    const { clock, metrics } = setup();
    const queue = new WorkQueue<{ id: number }>({ name: 'objects', clock, metrics, keyOf: ({ id }) => String(id) });

    queue.add({ id: 1 });
    queue.add({ id: 1 });
    queue.add({ id: 2 });

    expect(queue.depth).toBe(2);
    expect(await queue.get()).toEqual({ key: { id: 1 }, priority: normal });
  });

  it('refuses done for a key that nobody holds', () => {
    const { queue } = setup();

    expect(() => queue.done('a')).toThrow('done(a): nobody holds this key; call done once for each get');
  });

  it('takes nothing for a waiting worker that gave up', async () => {
    const { queue } = setup();
    const giveUp = new AbortController();
    const waiting = queue.get(giveUp.signal);

    giveUp.abort(stopped);
    queue.add('a');

    await expect(waiting).rejects.toBe(stopped);
    await expect(queue.get(giveUp.signal)).rejects.toBe(stopped);
    expect(await takeAll(queue)).toEqual(['a']);
  });
});

describe('WorkQueue: order', () => {
  it('FIFO within a priority', async () => {
    const { queue } = setup();

    for (const key of ['a', 'b', 'c', 'd', 'e']) queue.add(key);

    expect(await takeAll(queue)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('hands out higher priorities first', async () => {
    const { queue } = setup();

    queue.add('low', { priority: low });
    queue.add('normal');
    queue.add('high', { priority: high });

    expect(await takeAll(queue)).toEqual(['high', 'normal', 'low']);
  });

  it('Priority only rises', async () => {
    const { queue } = setup();

    queue.add('a', { priority: high });
    queue.add('b');
    queue.add('a', { priority: low });

    expect(await queue.get()).toEqual({ key: 'a', priority: high });
  });

  it('a raised key goes behind its new peers', async () => {
    const { queue } = setup();

    queue.add('raised', { priority: low });
    queue.add('peer', { priority: high });
    queue.add('raised', { priority: high });

    expect(await takeAll(queue)).toEqual(['peer', 'raised']);
  });

  it('retries keep their priority', async () => {
    const { queue, clock } = setup();
    queue.add('a', { priority: high });
    await hold(queue);

    queue.retry('a', 1_000);
    queue.done('a');
    await clock.advance(1_000);

    expect(await queue.get()).toEqual({ key: 'a', priority: high });
  });

  it('remembers the highest priority asked for while a key was in work', async () => {
    const { queue } = setup();
    queue.add('a', { priority: low });
    await hold(queue);

    queue.add('a', { priority: high });
    queue.add('a', { priority: low });
    queue.done('a');

    expect(await queue.get()).toEqual({ key: 'a', priority: high });
  });

  it('low-priority keys still progress under constant high-priority load (aging)', async () => {
    const { queue, clock } = setup({ aging: { overdueMs: 10_000, oneIn: 4 } });
    for (let number = 0; number < 5; number++) queue.add(`low-${number}`, { priority: low });

    const taken: string[] = [];
    for (let second = 0; second < 40; second++) {
      queue.add(`high-${second}`, { priority: high });
      taken.push(await takeOne(queue));
      await clock.advance(1_000);
    }

    expect(taken.filter((key) => key.startsWith('low'))).toEqual(['low-0', 'low-1', 'low-2', 'low-3', 'low-4']);
    expect(taken.slice(0, 10).every((key) => key.startsWith('high'))).toBe(true);
  });

  it('lets an urgent key overtake a backlog that is overdue', async () => {
    const { queue, clock } = setup();
    for (let number = 0; number < 1_000; number++) queue.add(`old-${number}`, { priority: low });
    await clock.advance(3_600_000);

    queue.add('urgent');

    expect([await takeOne(queue), await takeOne(queue)]).toContain('urgent');
  });
});

describe('WorkQueue: delays', () => {
  it('addAfter with a delay <= 0 is immediate', () => {
    const { queue, clock } = setup();

    queue.addAfter('a', 0);
    queue.addAfter('b', -5);

    expect(queue.depth).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('the same key with two delays: the earlier wins, one delivery', async () => {
    const { queue, clock } = setup();

    queue.addAfter('a', 5_000);
    queue.addAfter('a', 1_000);
    queue.addAfter('a', 3_000);
    await clock.advance(1_000);
    expect(await takeAll(queue)).toEqual(['a']);

    await clock.advance(10_000);
    expect(queue.depth).toBe(0);
  });

  it('delayed keys come out by ready time', async () => {
    const { queue, clock } = setup();

    queue.addAfter('third', 3_000);
    queue.addAfter('first', 1_000);
    queue.addAfter('second', 2_000);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(3_000);

    expect(await takeAll(queue)).toEqual(['first', 'second', 'third']);
  });

  it('an add ends the delay of its key', async () => {
    const { queue, clock } = setup();
    queue.addAfter('a', 5_000, { priority: high });

    queue.add('a');

    expect(await queue.get()).toEqual({ key: 'a', priority: high });
    expect(clock.pendingTimers).toBe(0);
  });

  it('a delay that ends while its key is in work brings the key once more', async () => {
    const { queue, clock } = setup();
    queue.add('a');
    await hold(queue);

    queue.addAfter('a', 1_000);
    await clock.advance(1_000);
    expect(queue.depth).toBe(0);

    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
  });

  it('a key that comes sooner anyway is not delayed as well', async () => {
    const { queue, clock } = setup();
    queue.add('a');
    await hold(queue);

    queue.add('a');
    queue.addAfter('a', 1_000);
    queue.done('a');

    expect(queue.depth).toBe(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses a delay that is no number', () => {
    const { queue } = setup();

    expect(() => queue.addAfter('a', Number.NaN)).toThrow('delayMs is NaN: give a number of milliseconds');
  });
});

describe('WorkQueue: the end', () => {
  it('An add after shutdown is ignored', async () => {
    const { queue, clock } = setup();
    queue.shutDown();

    queue.add('a');
    queue.addAfter('b', 1_000);

    expect(clock.pendingTimers).toBe(0);
    await clock.advance(1_000);
    expect(queue.depth).toBe(0);
  });

  it('On shutdown workers empty the queue, then get the stop signal', async () => {
    const { queue } = setup();
    queue.add('a');
    queue.add('b');

    queue.shutDown();

    expect(await takeOne(queue)).toBe('a');
    expect(await takeOne(queue)).toBe('b');
    expect(await queue.get()).toBeUndefined();
  });

  it('gives the stop signal to workers that wait', async () => {
    const { queue } = setup();
    const waiting = [queue.get(), queue.get()];

    queue.shutDown();

    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
  });

  it('drops delayed keys and their timer on shutdown', () => {
    const { queue, clock } = setup();
    queue.addAfter('a', 1_000);

    queue.shutDown();

    expect(clock.pendingTimers).toBe(0);
  });

  it('Drain waits for in-flight keys, including re-dirtied ones', async () => {
    const { queue } = setup();
    queue.add('a');
    await hold(queue);
    queue.add('a');

    const drained = queue.drain();
    const seen = watch(drained);
    queue.add('late');
    queue.done('a');
    await settle();
    expect(seen.settled).toBe(false);

    expect(await takeAll(queue)).toEqual(['a']);
    await drained;
    expect(await queue.get()).toBeUndefined();
  });

  it('plain shutdown releases a waiting drain', async () => {
    const { queue } = setup();
    queue.add('a');
    await hold(queue);
    const drained = queue.drain();

    queue.shutDown();

    await expect(drained).resolves.toBeUndefined();
  });

  it('a drain can be given up', async () => {
    const { queue } = setup();
    queue.add('a');
    const giveUp = new AbortController();
    const drained = queue.drain(giveUp.signal);

    giveUp.abort(stopped);

    await expect(drained).rejects.toBe(stopped);
  });
});
