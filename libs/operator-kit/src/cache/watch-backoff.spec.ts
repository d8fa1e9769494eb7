import { FakeClock } from '../testing';
import { WatchBackoff } from './watch-backoff';

function setup(random = 0) {
  const clock = new FakeClock();
  return { clock, backoff: new WatchBackoff(clock, () => random) };
}

describe('WatchBackoff', () => {
  it('Backoff 0.8 s to 30 s with jitter, reset after 2 min of health', async () => {
    const shortest = setup(0);
    const longest = setup(0.999999);

    const waits = Array.from({ length: 8 }, () => [shortest.backoff.next(), Math.round(longest.backoff.next())]);
    expect(waits).toEqual([
      [800, 1_600],
      [1_600, 3_200],
      [3_200, 6_400],
      [6_400, 12_800],
      [12_800, 25_600],
      [15_000, 30_000],
      [15_000, 30_000],
      [15_000, 30_000],
    ]);
    await shortest.clock.advance(15_000 + 119_999);
    expect(shortest.backoff.next()).toBe(15_000);
    await shortest.clock.advance(15_000 + 120_000);

    expect(shortest.backoff.next()).toBe(800);
  });

  it('A server that cannot be reached is tried again within 5 s, however long it has been away', () => {
    const { backoff } = setup(0.999999);

    const waits = Array.from({ length: 6 }, () => Math.round(backoff.next('unreachable')));

    expect(waits).toEqual([1_600, 3_200, 5_000, 5_000, 5_000, 5_000]);
  });

  it('never comes back sooner than the server asked', () => {
    const { backoff } = setup();

    expect(backoff.next('answered', 45_000)).toBe(45_000);
    expect(backoff.next('answered', 10)).toBe(1_600);
  });

  it('does not let the server send it away for longer than five minutes', () => {
    const { backoff } = setup();

    expect(backoff.next('answered', 24 * 3_600_000)).toBe(300_000);
  });

  it('stays at its longest however often it fails', () => {
    const { backoff } = setup(0.5);

    for (let i = 0; i < 10_000; i++) backoff.next();

    expect(backoff.next()).toBe(22_500);
  });
});
