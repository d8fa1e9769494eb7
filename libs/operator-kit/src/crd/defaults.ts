import type { JsonSchema } from './json-schema';
import { isJsonObject } from './keywords';

/**
 * A copy of the value with the schema's defaults filled in, as the API server does before it validates:
 * where a field is absent, or null without being nullable. Wrongly typed parts are copied as they are.
 */
export function applyDefaults(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return value.map((element: unknown) => (items ? applyDefaults(items, element) : structuredClone(element)));
  }
  return isJsonObject(value) ? objectWithDefaults(schema, value) : value;
}

function objectWithDefaults(schema: JsonSchema, value: Record<string, unknown>): Record<string, unknown> {
  const { properties = {}, additionalProperties } = schema;
  const entries = Object.entries(value)
    .filter(([name, inner]) => inner !== undefined && !isReplacedNull(properties, name, inner))
    .map(([name, inner]): [string, unknown] => {
      const innerSchema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return [name, innerSchema ? applyDefaults(innerSchema, inner) : structuredClone(inner)];
    });
  const result = Object.fromEntries(entries);
  for (const [name, property] of Object.entries(properties)) {
    if (property.default !== undefined && !Object.hasOwn(result, name)) {
      result[name] = applyDefaults(property, structuredClone(property.default));
    }
  }
  return result;
}

function isReplacedNull(properties: Record<string, JsonSchema>, name: string, value: unknown): boolean {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return value === null && property?.default !== undefined && !property.nullable;
}
