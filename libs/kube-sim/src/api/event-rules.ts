import type { FieldError } from '../schema';
import type { JsonObject } from '../store';
import { sameJson } from '../store';
import { eventToCore } from './event-conversion';

/** What an event says cannot be changed through events.k8s.io; only its series and its metadata can. */
const FIXED_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

export function eventUpdateProblems(event: JsonObject, old: JsonObject): FieldError[] {
  const [next, before] = [eventToCore(event), eventToCore(old)];
  return FIXED_FIELDS.filter((field) => !sameJson(next[field], before[field])).map((field) => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(next[field] ?? null)}: field is immutable`,
  }));
}
