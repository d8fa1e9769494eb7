import { isRecord } from '../json';
import { schemaOf } from './field-schema';
import type { SchemaClass } from './field-options';
import type { JsonSchema } from './json-schema';
import type { Fields } from './resource';
import { type FieldProblem, joinPath } from './schema-problems';
import { storedForm } from './stored-form';
import { validateAs } from './validation';

/** `value` is to be trusted only where there are no problems. */
export interface StrictReading<T extends object> {
  readonly value: Fields<T>;
  readonly problems: readonly FieldProblem[];
}

/**
 * Reads a plain object as one of a decorated class: defaults are filled in, and everything that is wrong is said at once.
 *
 * Unlike the API server, which prunes them, it refuses fields that the class does not have: for files that people write.
 */
export function readStrictly<T extends object>(type: SchemaClass<T>, value: unknown): StrictReading<T> {
  const schema = schemaOf(type);
  const stored = storedForm(schema, value);
  return { value: stored as Fields<T>, problems: [...validateAs(type, stored), ...unknownFields(schema, value, '')] };
}

function unknownFields(schema: JsonSchema, value: unknown, path: string): FieldProblem[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((element, index) => unknownFields(items, element, `${path}[${index}]`)) : [];
  }
  if (!isRecord(value) || schema['x-kubernetes-preserve-unknown-fields']) return [];
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (property) return unknownFields(property, inner, joinPath(path, name));
    return [{ field: joinPath(path, name), message: `is not known; known here: ${Object.keys(properties).join(', ')}` }];
  });
}
