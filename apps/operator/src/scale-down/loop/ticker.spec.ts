import { SchedulerRegistry } from '@nestjs/schedule';
import { ScheduledTicker } from './ticker';

describe('ScheduledTicker', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function setup(intervalMs: number) {
    const registry = new SchedulerRegistry();
    let ticks = 0;
    const ticking = new ScheduledTicker(registry).every(intervalMs, () => ticks++);
    return { registry, ticking, ticks: () => ticks };
  }

  it('ticks after each interval, and can be found in the schedule', () => {
    const { registry, ticks } = setup(30_000);

    jest.advanceTimersByTime(90_000);

    expect([ticks(), registry.getIntervals()]).toEqual([3, ['idle loop']]);
  });

  it('does not tick all the time for an interval longer than Node can wait', () => {
    const { ticks } = setup(1e12);

    jest.advanceTimersByTime(60_000);

    expect(ticks()).toBe(0);
  });

  it('leaves nothing behind when cancelled, and can begin again', () => {
    const { registry, ticking } = setup(30_000);

    ticking.cancel();

    expect([jest.getTimerCount(), registry.getIntervals()]).toEqual([0, []]);
    expect(() => new ScheduledTicker(registry).every(30_000, () => undefined)).not.toThrow();
  });

  it('can be cancelled after the application took its interval away', () => {
    const { registry, ticking } = setup(30_000);
    registry.deleteInterval('idle loop');

    expect(() => ticking.cancel()).not.toThrow();
  });
});
