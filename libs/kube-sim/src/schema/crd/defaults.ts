import { cloneJson, get, has, isList, isObject } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { propertySchema } from './open-api-schema';
import type { OpenApiSchema } from './open-api-schema';

/**
 * Fills in defaults, from the outside in, so that a default may bring fields with defaults of their own. A null where none is allowed counts
 * as absent: it becomes the default, or goes.
 */
export function withDefaults(object: JsonObject, schema: OpenApiSchema): JsonObject {
  const filled = fill(cloneJson(object), schema);
  return isObject(filled) ? filled : {};
}

function fill(value: JsonValue, schema: OpenApiSchema | undefined): JsonValue {
  if (schema === undefined) return value;
  if (isList(value)) return value.map((item) => fill(nullReplaced(item, schema.items) ?? item, schema.items));
  if (!isObject(value)) return value;
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && property.default !== null && !has(value, key)) value[key] = cloneJson(property.default);
  }
  for (const key of Object.keys(value)) {
    const property = propertySchema(schema, key);
    const current = nullReplaced(get(value, key) ?? null, property);
    if (current === undefined) Reflect.deleteProperty(value, key);
    else value[key] = fill(current, property);
  }
  return value;
}

function nullReplaced(value: JsonValue, schema: OpenApiSchema | undefined): JsonValue | undefined {
  if (value !== null || schema === undefined || schema.nullable === true) return value;
  return schema.default === undefined ? undefined : cloneJson(schema.default);
}
