import { isList, isObject } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { declaresProperty, propertySchema } from './open-api-schema';
import type { OpenApiSchema } from './open-api-schema';

const KEYWORDS: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** The name by which a rule reaches a property; undefined when CEL has no way to spell it. */
export function escapedName(name: string): string | undefined {
  if (KEYWORDS.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  return name.replaceAll('__', '__underscores__').replaceAll('.', '__dot__').replaceAll('-', '__dash__').replaceAll('/', '__slash__');
}

/** What a rule sees: integers are 64 bit, times are timestamps, and properties have their CEL names. */
export type CelValue = null | boolean | number | bigint | string | Date | Uint8Array | CelValue[] | { [key: string]: CelValue };

export function toCel(value: JsonValue, schema: OpenApiSchema | undefined): CelValue {
  // A new array of this realm: the CEL library tells lists by their constructor, and clones may come from another.
  if (isList(value)) return Array.from(value, (item) => toCel(item, schema?.items));
  if (isObject(value)) return mapToCel(value, schema);
  if (typeof value === 'number') return schema?.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'string' || schema?.type !== 'string') return value;
  switch (schema.format ?? '') {
    case 'date':
    case 'date-time':
    case 'datetime':
      return new Date(value);
    case 'byte':
      return new Uint8Array(Buffer.from(value, 'base64'));
    default:
      return value;
  }
}

function mapToCel(map: JsonObject, schema: OpenApiSchema | undefined): CelValue {
  const converted: Record<string, CelValue> = {};
  for (const [key, inner] of Object.entries(map)) {
    const isProperty = schema !== undefined && declaresProperty(schema, key);
    const name = isProperty ? escapedName(key) : key;
    if (name !== undefined) converted[name] = toCel(inner, schema === undefined ? undefined : propertySchema(schema, key));
  }
  return converted;
}
