import { type CronSchedule, isStartDay } from './cron';
import type { ClockChange, TimeZone } from './time-zone';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The 29th of February is the rarest day, and some are eight years apart: what has no start in this time never has one. */
const longestGapDays = 8 * 366;

/** Wherever clocks stand, a calendar day lies within this much of the same day in UTC. */
const dayMarginMs = 16 * hourMs;

/**
 * The last start at or before now, or undefined when there is none since `earliestMs`; an earlier one may be returned too.
 *
 * A wall clock time that a zone skips starts when the gap ends, so that a day without midnight is still a day. One that comes twice starts twice.
 */
export function previousStart(schedule: CronSchedule, zone: TimeZone, nowMs: number, earliestMs: number): number | undefined {
  const today = localDay(zone, nowMs);
  const firstDay = Math.max(localDay(zone, earliestMs) - 1, today - longestGapDays);

  // A clock that was set back over midnight has shown tomorrow already, and shows today's last hour again.
  for (let day = today + 1; day >= firstDay; day--) {
    const startMs = lastStartOfDay(schedule, zone, day, nowMs);
    if (startMs !== undefined) return Math.max(startMs, lastStartOfDay(schedule, zone, day - 1, nowMs) ?? startMs);
  }
  return undefined;
}

/** Days since 1970 on the calendar of the zone. */
function localDay(zone: TimeZone, instantMs: number): number {
  return Math.floor((instantMs + zone.offsetMsAt(instantMs)) / dayMs);
}

function lastStartOfDay(schedule: CronSchedule, zone: TimeZone, day: number, nowMs: number): number | undefined {
  const midnightMs = day * dayMs;
  if (!isStartDay(schedule, new Date(midnightMs))) return undefined;

  const change = zone.changeWithin(midnightMs - dayMarginMs, midnightMs + dayMs + dayMarginMs);
  if (midnightMs - Math.max(change.offsetBeforeMs, change.offsetAfterMs) > nowMs) return undefined;
  const isSteady = change.offsetBeforeMs === change.offsetAfterMs;
  let lastMs: number | undefined;
  for (const hour of schedule.hours.toReversed()) {
    for (const minute of schedule.minutes.toReversed()) {
      for (const instantMs of instantsOf(midnightMs + hour * hourMs + minute * minuteMs, change)) {
        if (instantMs > nowMs) continue;
        // Only where the clocks change can an earlier wall clock time be the later moment.
        if (isSteady) return instantMs;
        lastMs = Math.max(instantMs, lastMs ?? instantMs);
      }
    }
  }
  return lastMs;
}

function instantsOf(wallMs: number, { offsetBeforeMs, offsetAfterMs, atMs }: ClockChange): number[] {
  if (offsetBeforeMs === offsetAfterMs) return [wallMs - offsetBeforeMs];
  const instants = [wallMs - offsetBeforeMs].filter((instantMs) => instantMs < atMs);
  if (wallMs - offsetAfterMs >= atMs) instants.push(wallMs - offsetAfterMs);
  return instants.length > 0 ? instants : [atMs];
}
