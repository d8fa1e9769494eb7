import fc from 'fast-check';
import { isInPeriod } from './enabled-period';
import { InvalidScheduleError } from './schedule.errors';

const at = (text: string) => Date.parse(text);

describe('isInPeriod', () => {
  it.each([
    ['0 0 * * *', '24h', '2024-01-15T12:00:00Z', true],
    ['0 0 * * *', '1h', '2024-01-15T12:00:00Z', false],
    ['0 9 * * 1-5', '8h', '2024-01-15T14:00:00Z', true],
    ['0 9 * * 1-5', '8h', '2024-01-15T18:00:00Z', false],
    ['0 9 * * 1-5', '8h', '2024-01-13T14:00:00Z', false],
    ['0 0 * * *', '168h', '2024-01-15T18:00:00Z', true],
    ['0 22 * * 5', '60h', '2024-01-15T05:00:00Z', true],
    ['0 0 29 2 *', '24h', '2024-02-29T23:59:59Z', true],
    ['0 0 29 2 *', '70000h', '2031-12-31T00:00:00Z', true],
    ['0 0 29 2 *', '70136h', '2104-02-28T23:00:00Z', true],
    ['0 0 30 2 *', '2562047h', '2024-03-01T00:00:00Z', false],
  ])('knows whether %s for %s covers %s', (schedule, duration, now, expected) => {
    expect(isInPeriod({ schedule, duration }, at(now))).toBe(expected);
  });

  it('begins with the start and has ended when the duration has passed', () => {
    const office = { schedule: '0 9 * * *', duration: '8h' };

    const states = ['08:59:59.999', '09:00:00.000', '16:59:59.999', '17:00:00.000'].map((time) =>
      isInPeriod(office, at(`2024-01-15T${time}Z`)),
    );

    expect(states).toEqual([false, true, true, false]);
  });

  it('is the whole day in UTC when nothing else is said', () => {
    expect(isInPeriod({}, at('2024-01-15T23:59:59Z'))).toBe(true);
    expect(isInPeriod({ schedule: '', duration: '', timeZone: '' }, at('2024-01-15T23:59:59Z'))).toBe(true);
  });

  it('reads the schedule in its time zone, summer and winter', () => {
    const office = { schedule: '0 9 * * *', duration: '1h', timeZone: 'Europe/Berlin' };

    expect(isInPeriod(office, at('2024-01-15T08:30:00Z'))).toBe(true);
    expect(isInPeriod(office, at('2024-07-15T07:30:00Z'))).toBe(true);
    expect(isInPeriod(office, at('2024-07-15T08:30:00Z'))).toBe(false);
  });

  it('starts at the end of the gap when the clocks skip the start', () => {
    const night = { schedule: '30 2 * * *', duration: '1h', timeZone: 'Europe/Berlin' };

    const states = ['00:59:59Z', '01:00:00Z', '01:59:59Z', '02:00:00Z'].map((time) => isInPeriod(night, at(`2024-03-31T${time}`)));

    expect(states).toEqual([false, true, true, false]);
  });

  it('does not lose a day whose midnight is skipped', () => {
    const daily = { schedule: '0 0 * * *', duration: '24h', timeZone: 'Africa/Cairo' };

    expect(isInPeriod(daily, at('2024-04-26T12:00:00+03:00'))).toBe(true);
  });

  it('starts twice when the clocks show the start twice', () => {
    const night = { schedule: '30 2 * * *', duration: '20m', timeZone: 'Europe/Berlin' };

    const states = ['02:30:00+02:00', '02:50:00+02:00', '02:30:00+01:00', '02:50:00+01:00'].map((time) =>
      isInPeriod(night, at(`2024-10-27T${time}`)),
    );

    expect(states).toEqual([true, false, true, false]);
  });

  it.each([
    ['0 0 7 11 *', '16m'],
    ['0,10 0,23 * * *', '6m'],
  ])('knows the starts of both days when the clocks are set back over midnight: %s for %s', (schedule, duration) => {
    const period = { schedule, duration, timeZone: 'America/St_Johns' };

    // A minute after midnight it was 23:01 again.
    expect(isInPeriod(period, at('2010-11-06T23:15:00-03:30'))).toBe(true);
    expect(isInPeriod(period, at('2010-11-06T23:16:00-03:30'))).toBe(false);
  });

  it.each([
    [{ schedule: '0 0 * *' }, 'enabledPeriod.schedule'],
    [{ duration: 'all day' }, 'enabledPeriod.duration'],
    [{ duration: '0h' }, 'enabledPeriod.duration'],
    [{ duration: '-1h' }, 'enabledPeriod.duration'],
    [{ timeZone: 'Mars/Olympus' }, 'enabledPeriod.timeZone'],
  ])('refuses %j, naming the field', (period, field) => {
    const ask = () => isInPeriod(period, at('2024-01-15T00:00:00Z'));

    expect(ask).toThrow(InvalidScheduleError);
    expect(ask).toThrow(new RegExp(`^${field}: `));
  });

  it('agrees with a look at the wall clock of every minute', () => {
    const period = fc.record({
      schedule: anySchedule,
      durationMin: fc.integer({ min: 1, max: 3_000 }),
      timeZone: fc.constantFrom(...zones),
    });

    fc.assert(
      fc.property(period, fc.constantFrom(...momentsOfChange), fc.integer({ min: -1_600, max: 1_600 }), (given, changeMs, offsetMin) => {
        const nowMs = changeMs + offsetMin * minuteMs + 12_345;

        const answer = isInPeriod({ ...given, duration: `${given.durationMin}m` }, nowMs);

        expect(answer).toBe(someMinuteStarts(given, nowMs));
      }),
      { numRuns: 150 },
    );
  });
});

const minuteMs = 60_000;

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Havana',
  'Africa/Cairo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];

/** Changes of clocks in those zones, among them one over midnight and a day that was left out. */
const momentsOfChange = [
  '2024-03-31T01:00:00Z',
  '2024-10-27T01:00:00Z',
  '2024-03-10T07:00:00Z',
  '2024-11-03T06:00:00Z',
  '2010-11-07T02:31:00Z',
  '2024-03-10T05:00:00Z',
  '2024-11-03T05:00:00Z',
  '2024-04-25T22:00:00Z',
  '2024-10-31T21:00:00Z',
  '2024-04-06T15:00:00Z',
  '2024-10-05T15:30:00Z',
  '2011-12-30T10:00:00Z',
  '2024-02-29T00:00:00Z',
].map(at);

interface Field {
  text: string;
  matches(value: number): boolean;
  isStar: boolean;
}

const anyField = (min: number, max: number): fc.Arbitrary<Field> =>
  fc.oneof(
    fc.constant({ text: '*', matches: () => true, isStar: true }),
    fc.integer({ min, max }).map((only) => ({ text: String(only), matches: (value: number) => value === only, isStar: false })),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: 7 })).map(([a, b, step]) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const matches = (value: number) => value >= low && value <= high && (value - low) % step === 0;
      return { text: `${low}-${high}/${step}`, matches, isStar: false };
    }),
  );

const anyFields = fc.tuple(anyField(0, 59), anyField(0, 23), anyField(1, 31), anyField(1, 12), anyField(0, 6));
const fieldsOf = new Map<string, [Field, Field, Field, Field, Field]>();
const anySchedule = anyFields.map((fields) => {
  const text = fields.map((field) => field.text).join(' ');
  fieldsOf.set(text, fields);
  return text;
});

/** The slow way: whether the wall clock showed a start in any minute of the last `durationMin`, or jumped over one. */
function someMinuteStarts(period: { schedule: string; durationMin: number; timeZone: string }, nowMs: number): boolean {
  const fields = fieldsOf.get(period.schedule);
  if (!fields) throw new Error('not a schedule of this test');
  const wallClock = new Intl.DateTimeFormat('sv-SE', { timeZone: period.timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const wallMsOf = (instantMs: number) => Date.parse(`${wallClock.format(instantMs).replace(' ', 'T')}Z`);

  const thisMinuteMs = Math.floor(nowMs / minuteMs) * minuteMs;
  let previousWallMs = wallMsOf(thisMinuteMs - period.durationMin * minuteMs);
  for (let instantMs = thisMinuteMs - (period.durationMin - 1) * minuteMs; instantMs <= thisMinuteMs; instantMs += minuteMs) {
    const wallMs = wallMsOf(instantMs);
    const firstMs = wallMs > previousWallMs ? previousWallMs + minuteMs : wallMs;
    for (let shownMs = firstMs; shownMs <= wallMs; shownMs += minuteMs) if (starts(fields, new Date(shownMs))) return true;
    previousWallMs = wallMs;
  }
  return false;
}

function starts([minute, hour, day, month, weekday]: [Field, Field, Field, Field, Field], wall: Date): boolean {
  const [dayMatches, weekdayMatches] = [day.matches(wall.getUTCDate()), weekday.matches(wall.getUTCDay())];
  return (
    minute.matches(wall.getUTCMinutes()) &&
    hour.matches(wall.getUTCHours()) &&
    month.matches(wall.getUTCMonth() + 1) &&
    (day.isStar || weekday.isStar ? dayMatches && weekdayMatches : dayMatches || weekdayMatches)
  );
}
