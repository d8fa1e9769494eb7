/** What JSON can say. Absent keys are absent; `undefined` is never a value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export interface JsonObject {
  [key: string]: JsonValue;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is JsonValue[] {
  return Array.isArray(value);
}

/** Own keys only: a field called `constructor` must not find the one every object inherits. */
export function has(object: JsonObject, key: string): boolean {
  return Object.hasOwn(object, key);
}

export function get(object: JsonObject, key: string): JsonValue | undefined {
  return has(object, key) ? object[key] : undefined;
}

/** Sets a field under any name: assigning to `__proto__` would change the object's prototype instead. */
export function put(object: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** The value behind a chain of object fields, or undefined as soon as one is missing. */
export function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    if (!isObject(current)) return undefined;
    current = get(current, key);
  }
  return current;
}

export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

export function objectAt(value: JsonValue | undefined, ...path: readonly string[]): JsonObject | undefined {
  const found = at(value, ...path);
  return isObject(found) ? found : undefined;
}

export function listAt(value: JsonValue | undefined, ...path: readonly string[]): JsonValue[] {
  const found = at(value, ...path);
  return isList(found) ? found : [];
}

export function without(object: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

export function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (isList(left)) return isList(right) && left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => has(right, key) && sameJson(left[key], right[key]));
}

/** Several times faster than structuredClone, which must expect more than JSON. */
export function cloneJson<T extends JsonValue>(value: T): T {
  return copy(value) as T;
}

function copy(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(copy);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
}
