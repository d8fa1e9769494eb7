import { get, isList, isObject, sameJson } from '../json';
import type { JsonObject, JsonValue } from '../json';
import type { OpenApiSchema } from './open-api-schema';

/** The old item that a list item continues: only lists of type map have an identity that survives reordering. */
export function correlated(item: JsonValue, schema: OpenApiSchema, old: JsonValue | undefined): JsonValue | undefined {
  if (!isList(old) || schema['x-kubernetes-list-type'] !== 'map' || !isObject(item)) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return old.filter(isObject).find((other) => sameKeys(item, other, keys));
}

export function sameKeys(left: JsonObject, right: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => sameJson(get(left, key), get(right, key)));
}
