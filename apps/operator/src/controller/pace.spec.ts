import { FakeClock } from '@elasti/operator-kit/testing';
import { Pace } from './pace';

function setup() {
  const clock = new FakeClock();
  return { clock, pace: new Pace(10, clock) };
}

describe('Pace', () => {
  it('gives everyone who asks a turn of its own, a tenth of a second apart', () => {
    const { pace } = setup();

    expect(['a', 'b', 'c', 'd'].map((key) => pace.waitMs(key))).toEqual([0, 100, 200, 300]);
  });

  it('keeps the turn of one who asks again', async () => {
    const { clock, pace } = setup();
    for (const key of ['a', 'b', 'c']) pace.waitMs(key);

    await clock.advance(150);

    expect([pace.waitMs('c'), pace.waitMs('b')]).toEqual([50, 0]);
  });

  it('lets no more than ten pass in any second, however they ask', async () => {
    const { clock, pace } = setup();
    const keys = Array.from({ length: 50 }, (_, n) => `service-${n}`);
    for (const key of keys) pace.waitMs(key);
    await clock.advance(60_000);
    const waiting = new Set(keys);
    const passed: number[] = [];

    for (let tick = 0; tick < 100; tick++) {
      for (const key of waiting) {
        if (pace.waitMs(key) > 0) continue;
        waiting.delete(key);
        passed.push(clock.monotonic());
      }
      await clock.advance(50);
    }

    expect(waiting.size).toBe(0);
    const busiest = Math.max(...passed.map((ms) => passed.filter((other) => other >= ms && other < ms + 1_000).length));
    expect(busiest).toBeLessThanOrEqual(10);
  });

  it('gives the turns of those who left to others', () => {
    const { pace } = setup();
    for (const key of ['a', 'b', 'c']) pace.waitMs(key);

    for (const key of ['b', 'c']) pace.forget(key);

    expect(pace.waitMs('d')).toBe(100);
  });
});
