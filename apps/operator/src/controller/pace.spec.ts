import { FakeClock } from '@elasti/operator-kit/testing';
import { Pace } from './pace';

describe('Pace', () => {
  it('lets the first one pass and tells everyone else when its turn comes', () => {
    const pace = new Pace(10, new FakeClock());

    const waits = ['a', 'b', 'c', 'b'].map((key) => pace.waitMs(key));

    expect(waits).toEqual([0, 100, 200, 100]);
  });

  it('lets each one pass at its turn, and nobody before', async () => {
    const clock = new FakeClock();
    const pace = new Pace(10, clock);
    for (const key of ['a', 'b', 'c']) pace.waitMs(key);

    await clock.advance(100);

    expect([pace.waitMs('c'), pace.waitMs('b'), pace.waitMs('c')]).toEqual([100, 0, 100]);
  });

  it('saves up nothing, neither before the first one nor when all come late', async () => {
    const clock = new FakeClock();
    const pace = new Pace(10, clock);
    await clock.advance(3_600_000);
    for (const key of ['a', 'b', 'c']) pace.waitMs(key);

    await clock.advance(1_000);

    expect([pace.waitMs('b'), pace.waitMs('c')]).toEqual([0, 100]);
  });

  it('begins anew when all who waited have left', () => {
    const pace = new Pace(10, new FakeClock());
    for (const key of ['a', 'b', 'c']) pace.waitMs(key);

    pace.forget('b');
    pace.forget('c');

    expect(pace.waitMs('d')).toBe(100);
  });
});
