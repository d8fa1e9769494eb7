import type { Frozen, Service } from '@elasti/operator-kit';
import { InvalidScheduleError, parseGoDuration } from '../schedule';
import { isRecord } from './plain-values';
import { InvalidTriggerError } from './trigger-outcome';

/** As long as the longest cooldown. */
const longestWindowMs = 604_800_000;

/**
 * How long the resolvers must see nothing before the service counts as idle, in milliseconds. By default the cooldown.
 *
 * @throws InvalidTriggerError naming the field and the way out
 */
export function parseTrafficWindow(metadata: unknown, cooldownS: number, field = 'metadata'): number {
  if (metadata === undefined || metadata === null) return cooldownS * 1000;
  if (!isRecord(metadata)) throw new InvalidTriggerError(field, 'must be an object, such as {"window": "5m"}');

  const { window } = metadata;
  const windowField = `${field}.window`;
  if (window === undefined || window === null || window === '') return cooldownS * 1000;
  if (typeof window !== 'string') throw new InvalidTriggerError(windowField, 'must be a Go duration in a string, such as "5m"');
  const windowMs = parseWindow(window, windowField);
  if (windowMs <= 0 || windowMs > longestWindowMs) {
    throw new InvalidTriggerError(windowField, `"${window}" must be above zero and at most 168h, such as 5m`);
  }
  return windowMs;
}

function parseWindow(text: string, field: string): number {
  try {
    return parseGoDuration(text, field);
  } catch (error) {
    if (error instanceof InvalidScheduleError) throw new InvalidTriggerError(field, error.problem);
    throw error;
  }
}

/**
 * Resolvers beside the pods must get their share of all new connections to this Service, or their silence says nothing.
 *
 * @throws InvalidTriggerError naming the field and the way out
 */
export function checkTrafficIsSeen(service: Frozen<Service>, field: string): void {
  const { sessionAffinity, internalTrafficPolicy, externalTrafficPolicy } = service.spec ?? {};
  const obstacle =
    sessionAffinity === 'ClientIP'
      ? 'sessionAffinity ClientIP keeps clients at their pod'
      : internalTrafficPolicy === 'Local'
        ? 'internalTrafficPolicy Local keeps requests on their node'
        : externalTrafficPolicy === 'Local'
          ? 'externalTrafficPolicy Local keeps requests on their node'
          : undefined;
  if (obstacle === undefined) return;
  const name = service.metadata.name ?? '';
  throw new InvalidTriggerError(field, `traffic cannot see that of Service ${name}, since ${obstacle}: change that, or use prometheus`);
}
