import fc from 'fast-check';
import { parseGoDuration } from './go-duration';
import { InvalidScheduleError } from './schedule.errors';

describe('parseGoDuration', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['+0', 0],
    ['5s', 5_000],
    ['30s', 30_000],
    ['1478s', 1_478_000],
    ['-5s', -5_000],
    ['+5s', 5_000],
    ['5.0s', 5_000],
    ['5.s', 5_000],
    ['.5s', 500],
    ['1.004s', 1_004],
    ['100.00100s', 100_001],
    ['300ms', 300],
    ['11ns', 0.000011],
    ['12us', 0.012],
    ['12\u00b5s', 0.012],
    ['12\u03bcs', 0.012],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['3h30m', 12_600_000],
    ['-2m3.4s', -123_400],
    ['1h2m3s4ms5us6ns', 3_723_004.005006],
    ['10.5s4m', 250_500],
    ['0.3333333333333333333h', 1_200_000 - 0.000001],
    ['9223372036854775807ns', 9_223_372_036_854.775],
    ['-9223372036854775808ns', -9_223_372_036_854.775],
  ])('reads %s', (text, expectedMs) => {
    expect(parseGoDuration(text)).toBeCloseTo(expectedMs, 6);
  });

  it.each([
    '',
    '-',
    '+',
    '3',
    '-3',
    '.',
    '-.',
    '.s',
    '+.s',
    's',
    '1',
    '1d',
    '1H',
    '1h-30m',
    '1 h',
    ' 1h',
    '1h ',
    '1e3s',
    '1,5h',
    '\x85',
    '0x1s',
    'constructor',
  ])('refuses %j, as Go does', (text) => {
    expect(() => parseGoDuration(text)).toThrow(InvalidScheduleError);
  });

  it.each(['9223372036854775808ns', '-9223372036854775809ns', '2562048h', '3000000h'])(
    'refuses %s, which is longer than Go can count',
    (text) => {
      expect(() => parseGoDuration(text)).toThrow(/too long/);
    },
  );

  it('names the field and the way out', () => {
    expect(() => parseGoDuration('8 hours', 'enabledPeriod.duration')).toThrow(/^enabledPeriod\.duration: "8 hours".*such as 1h30m/);
  });

  it('adds up any parts in any order', () => {
    const unitMs = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
    const part = fc.record({ amount: fc.nat(1_000), unit: fc.constantFrom(...(Object.keys(unitMs) as (keyof typeof unitMs)[])) });

    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const text = parts.map(({ amount, unit }) => `${amount}${unit}`).join('');
        const expectedMs = parts.reduce((sum, { amount, unit }) => sum + amount * unitMs[unit], 0);

        expect(parseGoDuration(text)).toBe(expectedMs);
      }),
    );
  });
});
