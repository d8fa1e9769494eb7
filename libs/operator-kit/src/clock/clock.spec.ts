import { systemClock } from './clock';

describe('systemClock', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('waits out a delay that is longer than one timer can be', () => {
    const fortyDaysMs = 40 * 24 * 3_600_000;
    const fired = jest.fn();
    systemClock.after(fortyDaysMs, fired);

    jest.advanceTimersByTime(fortyDaysMs - 1);
    expect(fired).not.toHaveBeenCalled();

    jest.advanceTimersByTime(1);
    expect(fired).toHaveBeenCalledTimes(1);
  });

  it('never fires after an endless delay', () => {
    const fired = jest.fn();
    systemClock.after(Infinity, fired);

    jest.advanceTimersByTime(100 * 24 * 3_600_000);

    expect(fired).not.toHaveBeenCalled();
  });

  it('leaves no timer behind when cancelled in a later part of a long delay', () => {
    const timer = systemClock.after(Infinity, () => undefined);
    jest.advanceTimersByTime(30 * 24 * 3_600_000);

    timer.cancel();

    expect(jest.getTimerCount()).toBe(0);
  });
});
