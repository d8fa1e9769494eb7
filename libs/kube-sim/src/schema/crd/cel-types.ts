import type { ObjectSchema } from '@marcbachmann/cel-js';
import { escapedName } from './cel-values';
import type { OpenApiSchema } from './open-api-schema';

export type CelType = string | ObjectSchema;

/** Every object has these, whatever its schema says. */
const OBJECT_FIELDS: ObjectSchema = { apiVersion: 'string', kind: 'string', metadata: { name: 'string', generateName: 'string' } };

/** The CEL type of a whole custom resource: rules may use its name, its kind and its version. */
export function rootCelType(schema: OpenApiSchema): CelType {
  const type = celType(schema);
  return typeof type === 'string' ? type : { ...type, ...OBJECT_FIELDS };
}

/** The CEL type of a value of this schema, so that rules that name missing fields or mix types are found when the CRD is made. */
export function celType(schema: OpenApiSchema): CelType {
  if (schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true) return 'dyn';
  switch (schema.type) {
    case undefined:
      return 'dyn';
    case 'object':
      return objectType(schema);
    case 'array':
      return `list<${nested(schema.items)}>`;
    case 'string':
      return textType(schema.format);
    case 'integer':
      return 'int';
    case 'number':
      return 'double';
    case 'boolean':
      return 'bool';
  }
}

function objectType(schema: OpenApiSchema): CelType {
  if (typeof schema.additionalProperties === 'object') return `map<string, ${nested(schema.additionalProperties)}>`;
  if (schema.additionalProperties === true || schema['x-kubernetes-embedded-resource'] === true) return 'dyn';
  const fields: ObjectSchema = {};
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const name = escapedName(key);
    if (name !== undefined) fields[name] = celType(property);
  }
  return fields;
}

/** Types inside of lists and maps can only be named, and objects have no name. */
function nested(schema: OpenApiSchema | undefined): string {
  const type = schema === undefined ? 'dyn' : celType(schema);
  return typeof type === 'string' ? type : 'dyn';
}

function textType(format: string | undefined): string {
  switch (format ?? '') {
    case 'date':
    case 'date-time':
    case 'datetime':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'dyn';
    case 'byte':
      return 'bytes';
    default:
      return 'string';
  }
}
