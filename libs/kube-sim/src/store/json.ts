import { type JsonObject, type JsonValue, isObject, without } from '../schema';

export { type JsonObject, type JsonValue, isObject, sameJson, without } from '../schema';

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function asArray(value: unknown): JsonValue[] {
  return Array.isArray(value) ? (value as JsonValue[]) : [];
}

export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The string values of a map such as labels or annotations; anything else in it is left out. */
export function asStringMap(value: unknown): Record<string, string> {
  const strings: Record<string, string> = {};
  for (const [key, entry] of Object.entries(asObject(value))) if (typeof entry === 'string') strings[key] = entry;
  return strings;
}

/** The value at a dotted path such as `spec.nodeName`; undefined where the path ends early. */
export function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = object;
  for (const step of path) {
    if (!isObject(current)) return undefined;
    current = current[step];
  }
  return current;
}

/** A copy of the object with the value at the path replaced; only the objects along the path are copied. */
export function withValueAt(object: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [step, ...rest] = path;
  if (step === undefined) return object;
  if (rest.length > 0) return { ...object, [step]: withValueAt(asObject(object[step]), rest, value) };
  return value === undefined ? without(object, step) : { ...object, [step]: value };
}
