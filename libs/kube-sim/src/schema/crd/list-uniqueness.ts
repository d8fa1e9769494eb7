import { get, isList, isObject, sameJson } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { duplicate, invalid } from '../validation';
import type { FieldError } from '../validation';
import { propertySchema } from './open-api-schema';
import type { OpenApiSchema } from './open-api-schema';

/** Lists of type set hold no value twice, lists of type map no key twice. */
export function validateUniqueness(value: JsonValue, schema: OpenApiSchema, path = ''): FieldError[] {
  if (isList(value)) {
    const { items } = schema;
    const inner = items === undefined ? [] : value.flatMap((item, index) => validateUniqueness(item, items, `${path}[${index}]`));
    return [...listErrors(value, schema, path), ...inner];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const property = propertySchema(schema, key);
    if (property === undefined) return [];
    const isNamed = schema.properties?.[key] !== undefined;
    return validateUniqueness(inner, property, isNamed ? (path === '' ? key : `${path}.${key}`) : `${path}[${key}]`);
  });
}

function listErrors(list: readonly JsonValue[], schema: OpenApiSchema, path: string): FieldError[] {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(list).map((index) => duplicate(`${path}[${index}]`, list[index] ?? null));
    case 'map': {
      const wrong = list.findIndex((item) => item !== null && !isObject(item));
      if (wrong >= 0) return [invalid(`${path}[${wrong}]`, list[wrong] ?? null, 'must be an object for an array of list-type map')];
      const keys = list.map((item) => keysOf(isObject(item) ? item : {}, schema['x-kubernetes-list-map-keys'] ?? []));
      return repeated(keys).map((index) => duplicate(`${path}[${index}]`, keys[index] ?? null));
    }
    case 'atomic':
    case undefined:
      return [];
  }
}

function keysOf(item: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = get(item, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Each repeated value is reported once, at its second place. */
function repeated(values: readonly JsonValue[]): number[] {
  return values.flatMap((value, index) =>
    values.slice(0, index).filter((earlier) => sameJson(earlier, value)).length === 1 ? [index] : [],
  );
}
