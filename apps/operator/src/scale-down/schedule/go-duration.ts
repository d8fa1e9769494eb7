import { GoDurationError, parseGoDuration as parse } from '@elasti/operator-kit/program';
import { InvalidScheduleError } from './schedule.errors';

/**
 * The milliseconds of a duration in the syntax of Go's time.ParseDuration.
 *
 * @throws InvalidScheduleError naming `field`
 */
export function parseGoDuration(text: string, field = 'duration'): number {
  try {
    return parse(text);
  } catch (error) {
    throw error instanceof GoDurationError ? new InvalidScheduleError(field, error.message) : error;
  }
}
