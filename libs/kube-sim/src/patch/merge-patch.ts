import { cloneJson, get, isObject, put } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { PatchError } from './patch.errors';

/** RFC 7396. Neither argument is changed. */
export function mergePatch(current: JsonObject, patch: unknown): JsonObject {
  if (!isObject(patch)) throw new PatchError('Invalid JSON Patch', 400);
  return mergeObjects(current, patch);
}

function mergeObjects(current: JsonObject, patch: JsonObject): JsonObject {
  // One level is enough: what the patch changes below is merged into copies of its own.
  const merged: JsonObject = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(merged, key);
    else put(merged, key, mergeValue(get(merged, key), value));
  }
  return merged;
}

function mergeValue(current: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return cloneJson(patch);
  return mergeObjects(isObject(current) ? current : {}, patch);
}
