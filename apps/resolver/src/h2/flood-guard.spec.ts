import { FakeClock } from '@elasti/operator-kit/testing';

import { FloodGuard } from './flood-guard';

describe('FloodGuard', () => {
  const spend = (guard: FloodGuard, times: number): boolean[] => Array.from({ length: times }, () => guard.spend());

  it('bears a burst, and calls it a flood when it goes on', () => {
    const guard = new FloodGuard(new FakeClock());

    expect(spend(guard, 2_000)).not.toContain(false);
    expect(guard.spend()).toBe(false);
  });

  it('bears a steady rate for ever', async () => {
    const clock = new FakeClock();
    const guard = new FloodGuard(clock);

    for (let second = 0; second < 20; second++) {
      expect(spend(guard, 1_000)).not.toContain(false);
      await clock.advance(1_000);
    }
  });

  it('bears as many empty frames as there are frames that carry something', () => {
    const guard = new FloodGuard(new FakeClock());

    for (let at = 0; at < 10_000; at++) {
      guard.earn();
      expect(guard.spend()).toBe(true);
    }
  });
});
