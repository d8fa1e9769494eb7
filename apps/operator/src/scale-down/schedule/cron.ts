import { InvalidScheduleError } from './schedule.errors';

// Our own, because the `cron` package that comes with @nestjs/schedule only looks forward, takes schedules with seconds and a Sunday of 7,
// and ignores the star when it joins the two day fields, where KubeElasti's parser (robfig/cron) does none of these.

/** When something starts: the wall clock times of a five-field cron schedule, in no time zone yet. */
export interface CronSchedule {
  /** Ascending. */
  readonly hours: readonly number[];
  /** Ascending. */
  readonly minutes: readonly number[];
  readonly months: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  /** Sunday is 0. */
  readonly daysOfWeek: ReadonlySet<number>;
  /** `both`: a day must match both day fields, because one of them has a star; `either`: one is enough. */
  readonly dayRule: 'both' | 'either';
}

interface FieldRange {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** The values' names, beginning with that of `min`. */
  readonly names?: readonly string[];
  readonly hint?: string;
}

interface ParsedField {
  readonly values: ReadonlySet<number>;
  readonly hasStar: boolean;
}

const minute: FieldRange = { name: 'minute', min: 0, max: 59 };
const hour: FieldRange = { name: 'hour', min: 0, max: 23 };
const dayOfMonth: FieldRange = { name: 'day of month', min: 1, max: 31 };
const month: FieldRange = {
  name: 'month',
  min: 1,
  max: 12,
  names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
};
const dayOfWeek: FieldRange = {
  name: 'day of week',
  min: 0,
  max: 6,
  names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  hint: ', and Sunday is 0',
};

const macros: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/**
 * Reads a schedule as robfig/cron's standard parser does: five fields or a macro such as `@daily`, names in any case, `?` for `*`, `5/15` for `5-59/15`.
 *
 * Refused, unlike there: `@every`, which has no fixed starts, a time zone in front, and a field without any value.
 * @throws InvalidScheduleError naming `field`
 */
export function parseCron(text: string, field = 'schedule'): CronSchedule {
  const refuse = (problem: string) => new InvalidScheduleError(field, `"${text}" ${problem}`);
  if (/^(CRON_)?TZ=/.test(text)) throw refuse('names a time zone: put it into timeZone instead');

  const trimmed = text.trim();
  const [minuteText, hourText, dayText, monthText, weekdayText, ...rest] = (macros.get(trimmed) ?? trimmed).split(/\s+/);
  if (trimmed.startsWith('@') && !macros.has(trimmed)) throw refuse(`is none of ${[...macros.keys()].join(', ')}`);
  if (weekdayText === undefined || rest.length > 0) {
    throw refuse('must have five fields: minute, hour, day of month, month, day of week, such as "0 8 * * 1-5"');
  }

  const days = parseField(dayText ?? '', dayOfMonth, refuse);
  const weekdays = parseField(weekdayText, dayOfWeek, refuse);
  return {
    minutes: ascending(parseField(minuteText ?? '', minute, refuse)),
    hours: ascending(parseField(hourText ?? '', hour, refuse)),
    months: parseField(monthText ?? '', month, refuse).values,
    daysOfMonth: days.values,
    daysOfWeek: weekdays.values,
    dayRule: days.hasStar || weekdays.hasStar ? 'both' : 'either',
  };
}

/** Whether the schedule has starts on the day of this date, read in UTC. */
export function isStartDay(schedule: CronSchedule, date: Date): boolean {
  if (!schedule.months.has(date.getUTCMonth() + 1)) return false;
  const dayMatches = schedule.daysOfMonth.has(date.getUTCDate());
  const weekdayMatches = schedule.daysOfWeek.has(date.getUTCDay());
  return schedule.dayRule === 'both' ? dayMatches && weekdayMatches : dayMatches || weekdayMatches;
}

type Refuse = (problem: string) => InvalidScheduleError;

function parseField(text: string, range: FieldRange, refuse: Refuse): ParsedField {
  const parts = text.split(',').filter((part) => part !== '');
  if (parts.length === 0) throw refuse(`has no ${range.name}`);

  const values = new Set<number>();
  let hasStar = false;
  for (const part of parts) {
    const [bounds = '', stepText, ...rest] = part.split('/');
    if (rest.length > 0) throw refuse(`has more than one "/" in "${part}"`);
    const step = stepText === undefined ? 1 : parseNumber(stepText, refuse);
    if (step === 0) throw refuse(`has a step of 0 in "${part}": it must be 1 or more`);

    const { first, last } = parseBounds(bounds, stepText === undefined ? 'exact' : 'open', range, refuse);
    for (let value = first; value <= last; value += step) values.add(value);
    // Every other day is a choice of days; only a star that leaves no day out says nothing about them.
    if (isStar(bounds) && step === 1) hasStar = true;
  }
  return { values, hasStar };
}

/** A single value with a step is `open`: it goes on to the end of the range. */
function parseBounds(text: string, single: 'exact' | 'open', range: FieldRange, refuse: Refuse): { first: number; last: number } {
  if (isStar(text)) return { first: range.min, last: range.max };

  const [low = '', high, ...rest] = text.split('-');
  if (rest.length > 0) throw refuse(`has more than one "-" in "${text}"`);
  const first = parseValue(low, range, refuse);
  const last = high !== undefined ? parseValue(high, range, refuse) : single === 'open' ? range.max : first;
  if (first < range.min || last > range.max) {
    throw refuse(`has a ${range.name} outside of ${range.min} to ${range.max}${range.hint ?? ''}`);
  }
  if (first > last) throw refuse(`has a range that ends before it begins: "${text}"`);
  return { first, last };
}

function parseValue(text: string, { names, min }: FieldRange, refuse: Refuse): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index >= 0 ? min + index : parseNumber(text, refuse);
}

function parseNumber(text: string, refuse: Refuse): number {
  if (!/^\+?\d+$/.test(text)) throw refuse(`has "${text}" where a number is expected`);
  return Number(text);
}

const isStar = (text: string) => text === '*' || text === '?';

const ascending = ({ values }: ParsedField) => [...values].sort((a, b) => a - b);
