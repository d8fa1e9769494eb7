import { isRecord } from '../json';
import type { JsonSchema } from './json-schema';

/**
 * A copy of the value as the API server makes it before it validates and stores: fields the schema does not know are pruned, a null
 * that its field does not take counts as absent, and defaults are filled in. Wrongly typed parts are copied as they are.
 */
export function storedForm(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return value.map((element: unknown) => (items ? storedForm(items, element ?? null) : structuredClone(element)));
  }
  if (isRecord(value)) return storedObject(schema, value);
  return value === 0 ? 0 : value; // JSON has no negative zero
}

function storedObject(schema: JsonSchema, value: Record<string, unknown>): Record<string, unknown> {
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const result: Record<string, unknown> = {};
  const keep = (name: string, inner: unknown) => {
    Object.defineProperty(result, name, { value: inner, enumerable: true, writable: true, configurable: true });
  };
  for (const [name, inner] of Object.entries(value)) {
    const property = schemaFor(schema, name);
    if (inner === undefined || (!property && !keepsUnknown)) continue;
    if (!property) keep(name, structuredClone(inner));
    else if (inner !== null || property.nullable) keep(name, storedForm(property, inner));
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (property.default !== undefined && !Object.hasOwn(result, name)) keep(name, storedForm(property, structuredClone(property.default)));
  }
  return result;
}

function schemaFor({ properties = {}, additionalProperties }: JsonSchema, name: string): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}
