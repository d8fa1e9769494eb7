import type { EnabledPeriod } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import { isWithin, type ParsedPeriod, parsePeriod, type PeriodState } from './enabled-period';
import { InvalidScheduleError } from './schedule.errors';

/** Reads each period once, which is most of the work of asking it, and forgets it with the object that holds it. */
export class PeriodMemory {
  private readonly known = new WeakMap<object, ParsedPeriod | InvalidScheduleError>();

  stateOf(period: Frozen<EnabledPeriod> | undefined, nowMs: number): PeriodState {
    if (!period) return 'always';
    const parsed = this.parsed(period);
    if (parsed instanceof InvalidScheduleError) return { problem: parsed };
    return isWithin(parsed, nowMs) ? 'inside' : 'outside';
  }

  private parsed(period: Frozen<EnabledPeriod>): ParsedPeriod | InvalidScheduleError {
    let parsed = this.known.get(period);
    if (!parsed) this.known.set(period, (parsed = parse(period)));
    return parsed;
  }
}

function parse(period: Frozen<EnabledPeriod>): ParsedPeriod | InvalidScheduleError {
  try {
    return parsePeriod(period);
  } catch (error) {
    if (error instanceof InvalidScheduleError) return error;
    throw error;
  }
}
