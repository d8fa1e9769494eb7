import { PeriodMemory } from './period-memory';
import { InvalidScheduleError } from './schedule.errors';

describe('PeriodMemory', () => {
  const nowMs = Date.UTC(2024, 0, 15, 12);

  it('tells inside from outside, and what cannot be told', () => {
    const periods = new PeriodMemory();

    expect(periods.stateOf(undefined, nowMs)).toBe('always');
    expect(periods.stateOf({ duration: '13h' }, nowMs)).toBe('inside');
    expect(periods.stateOf({ duration: '11h' }, nowMs)).toBe('outside');
    expect(periods.stateOf({ duration: '11' }, nowMs)).toEqual({ problem: expect.any(InvalidScheduleError) });
  });

  it('answers anew for every moment', () => {
    const periods = new PeriodMemory();
    const period = { schedule: '0 9 * * *', duration: '8h', timeZone: 'Europe/Berlin' };

    const states = [7, 8, 15, 16].map((hour) => periods.stateOf(period, Date.UTC(2024, 0, 15, hour)));

    expect(states).toEqual(['outside', 'inside', 'inside', 'outside']);
  });

  it('keeps a problem as long as the period stays', () => {
    const periods = new PeriodMemory();
    const period = { timeZone: 'Mars/Base' };

    expect([0, 1].map((laterMs) => periods.stateOf(period, nowMs + laterMs))).toEqual([
      { problem: expect.objectContaining({ field: 'enabledPeriod.timeZone' }) },
      { problem: expect.objectContaining({ field: 'enabledPeriod.timeZone' }) },
    ]);
  });
});
