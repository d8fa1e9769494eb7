import { type JsonObject } from '../store';

/** Fields that core/v1 and events.k8s.io/v1 call differently, core's name first. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

export const eventFromCore = (event: JsonObject): JsonObject => rename(event, new Map(RENAMED));

export const eventToCore = (event: JsonObject): JsonObject => rename(event, new Map(RENAMED.map(([core, events]) => [events, core])));

/** The core name of a field that an events.k8s.io selector names. */
export function eventFieldToCore(field: string): string {
  const [first = '', ...rest] = field.split('.');
  const core = RENAMED.find(([, events]) => events === first)?.[0] ?? first;
  return [core, ...rest].join('.');
}

function rename(event: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const renamed: JsonObject = {};
  for (const [key, value] of Object.entries(event)) renamed[names.get(key) ?? key] = value;
  return renamed;
}
