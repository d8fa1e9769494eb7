import { InvalidScheduleError } from './schedule.errors';

/** A stretch of time in which a zone changes its clocks at most once. */
export interface ClockChange {
  readonly offsetBeforeMs: number;
  readonly offsetAfterMs: number;
  /** The first moment with the new offset; without a change, the offsets are the same and this says nothing. */
  readonly atMs: number;
}

/** How far wall clocks are ahead of UTC in one place; knows all changes that the runtime's time zone data knows. */
export class TimeZone {
  static readonly utc = new TimeZone(undefined);

  private constructor(private readonly wallClock: Intl.DateTimeFormat | undefined) {}

  /** @throws InvalidScheduleError naming `field` */
  static named(name: string, field = 'timeZone'): TimeZone {
    if (name.toUpperCase() === 'UTC') return TimeZone.utc;
    try {
      return new TimeZone(
        new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', {
          timeZone: name,
          hourCycle: 'h23',
          year: 'numeric',
          month: 'numeric',
          day: 'numeric',
          hour: 'numeric',
          minute: 'numeric',
          second: 'numeric',
        }),
      );
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new InvalidScheduleError(
        field,
        `"${name}" is not a known time zone: write a name such as Europe/Berlin, or leave it out for UTC`,
      );
    }
  }

  offsetMsAt(instantMs: number): number {
    if (!this.wallClock) return 0;
    const wall: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of this.wallClock.formatToParts(instantMs)) wall[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = wall;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instantMs / 1000) * 1000;
  }

  /** Assumes that the stretch is short enough to hold one change at most: zones leave weeks between two. */
  changeWithin(fromMs: number, toMs: number): ClockChange {
    const offsetBeforeMs = this.offsetMsAt(fromMs);
    const offsetAfterMs = this.offsetMsAt(toMs);
    let [lowMs, highMs] = [fromMs, toMs];
    while (offsetBeforeMs !== offsetAfterMs && highMs - lowMs > 1) {
      const middleMs = Math.floor((lowMs + highMs) / 2);
      if (this.offsetMsAt(middleMs) === offsetBeforeMs) lowMs = middleMs;
      else highMs = middleMs;
    }
    return { offsetBeforeMs, offsetAfterMs, atMs: highMs };
  }
}
