import { KitMetrics } from '../metrics';
import { FakeClock } from '../testing';
import { WorkQueue } from './work-queue';

function setup() {
  const clock = new FakeClock();
  const metrics = new KitMetrics();
  const queue = new WorkQueue<string>({ name: 'test', clock, metrics });
  const scraped = async (name: string) => {
    const lines = (await metrics.registry.metrics()).split('\n');
    const line = lines.find((candidate) => candidate.startsWith(`${name}{name="test"}`));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  return { clock, queue, scraped, metrics };
}

/** How many keys the queue knows of, in whatever state. */
function retained(queue: WorkQueue): number {
  let found = 0;
  const visited = new Set<unknown>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null || visited.has(value) || value instanceof FakeClock || value instanceof KitMetrics)
      return;
    visited.add(value);
    if (value instanceof Map || value instanceof Set) found += value.size;
    if (Array.isArray(value)) found += value.length;
    Object.values(value).forEach(visit);
  };
  visit(queue);
  return found;
}

describe('WorkQueue: what it counts', () => {
  it('Delayed keys are not counted in depth', async () => {
    const { queue, clock, scraped } = setup();

    queue.add('ready');
    queue.addAfter('delayed', 1_000);
    expect(queue.depth).toBe(1);
    expect(await scraped('workqueue_depth')).toBe(1);

    await clock.advance(1_000);
    expect(await scraped('workqueue_depth')).toBe(2);
  });

  it('Keys that are done are not retained (memory returns to flat)', async () => {
    const { queue, clock } = setup();
    const before = retained(queue);

    for (let number = 0; number < 1_000; number++) {
      queue.add(`now-${number}`, { priority: number % 7 });
      queue.addAfter(`later-${number}`, number);
      queue.addAfter(`now-${number}`, 5_000);
    }
    await clock.advance(10_000);
    while (queue.depth > 0) {
      const taken = await queue.get();
      if (taken) queue.done(taken.key);
    }

    expect(retained(queue)).toBe(before);
    expect(clock.pendingTimers).toBe(0);
  });

  it('counts adds without duplicates, and retries', async () => {
    const { queue, scraped } = setup();

    queue.add('a');
    queue.add('a');
    await queue.get();
    queue.retry('a', 1_000);
    queue.done('a');

    expect(await scraped('workqueue_adds_total')).toBe(1);
    expect(await scraped('workqueue_retries_total')).toBe(1);
  });

  it('measures how long keys waited and how long they took', async () => {
    const { queue, clock, scraped } = setup();

    queue.add('a');
    await clock.advance(3_000);
    await queue.get();
    await clock.advance(4_000);
    queue.done('a');

    expect(await scraped('workqueue_queue_duration_seconds_sum')).toBe(3);
    expect(await scraped('workqueue_work_duration_seconds_sum')).toBe(4);
  });

  it('tells at each scrape how long unfinished work has taken so far', async () => {
    const { queue, clock, scraped } = setup();
    queue.add('a');
    await queue.get();
    await clock.advance(5_000);
    queue.add('b');
    await queue.get();
    await clock.advance(1_000);

    expect(await scraped('workqueue_unfinished_work_seconds')).toBe(7);
    expect(await scraped('workqueue_longest_running_processor_seconds')).toBe(6);
    expect(clock.pendingTimers).toBe(0);

    queue.shutDown();
    queue.done('a');
    queue.done('b');
    expect(await scraped('workqueue_unfinished_work_seconds')).toBe(0);
  });
});
