import { cloneJson, get, isObject, listAt } from '../../json';
import type { JsonObject, JsonValue } from '../../json';

/** Fills in one object in place: defaults work on a copy that nobody else has seen. */
export type Fill = (object: JsonObject) => void;

export function fill(object: JsonObject, defaults: JsonObject): void {
  for (const [key, value] of Object.entries(defaults)) {
    if (get(object, key) === undefined) object[key] = cloneJson(value);
  }
}

/** The object behind a key, made if it is not there. */
export function inner(object: JsonObject, key: string): JsonObject {
  const found = get(object, key);
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object[key] = made;
  return made;
}

/** The object behind a key, if there is one. */
export function existing(object: JsonObject, key: string, then: Fill): void {
  const found = get(object, key);
  if (isObject(found)) then(found);
}

export function each(object: JsonObject, key: string, then: Fill): void {
  listAt(object, key).filter(isObject).forEach(then);
}

export function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}
