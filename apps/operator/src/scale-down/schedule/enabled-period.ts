import type { EnabledPeriod } from '@elasti/api';
import { type CronSchedule, parseCron } from './cron';
import { parseGoDuration } from './go-duration';
import { previousStart } from './previous-start';
import { InvalidScheduleError } from './schedule.errors';
import { TimeZone } from './time-zone';

/** A period that has been read once and can be asked many times. */
export interface ParsedPeriod {
  readonly schedule: CronSchedule;
  readonly durationMs: number;
  readonly zone: TimeZone;
}

/** `always`: no period is given; a problem: it cannot be told, which must keep the service awake. */
export type PeriodState = 'always' | 'inside' | 'outside' | { readonly problem: InvalidScheduleError };

/** Empty fields have the defaults of the contract: midnight, for a day, in UTC. @throws InvalidScheduleError */
export function parsePeriod(period: EnabledPeriod): ParsedPeriod {
  const { schedule = '0 0 * * *', duration = '24h', timeZone = 'UTC' } = withoutEmpty(period);
  const field = 'enabledPeriod.duration';
  const durationMs = parseGoDuration(duration, field);
  if (durationMs <= 0) throw new InvalidScheduleError(field, `"${duration}" must be above zero, such as 8h30m`);
  return {
    schedule: parseCron(schedule, 'enabledPeriod.schedule'),
    durationMs,
    zone: TimeZone.named(timeZone, 'enabledPeriod.timeZone'),
  };
}

/** In Go, and so in objects of KubeElasti, an empty string is a field left out. */
function withoutEmpty(period: EnabledPeriod): EnabledPeriod {
  return Object.fromEntries(Object.entries(period).filter(([, value]) => value !== ''));
}

/** In the period from each start, included, until the duration has passed, not included. */
export function isWithin({ schedule, durationMs, zone }: ParsedPeriod, nowMs: number): boolean {
  const startMs = previousStart(schedule, zone, nowMs, nowMs - durationMs);
  return startMs !== undefined && nowMs < startMs + durationMs;
}

/** @throws InvalidScheduleError naming the field that cannot be understood */
export function isInPeriod(period: EnabledPeriod, nowMs: number): boolean {
  return isWithin(parsePeriod(period), nowMs);
}
