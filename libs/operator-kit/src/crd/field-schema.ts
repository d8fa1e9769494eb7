import { withoutUndefined } from '../json';
import { InvalidSchemaError } from './crd.errors';
import type { ElementOptions, ElementType, FieldOptions, SchemaClass, TypeName } from './field-options';
import { fieldsOf, rulesOf } from './field-registry';
import type { JsonSchema } from './json-schema';
import { checkOptions, checkSchema } from './schema-mistakes';

/** The structural schema of a decorated class. */
export function schemaOf(type: SchemaClass): JsonSchema {
  const fields = fieldsOf(type);
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const rules = rulesOf(type);
  return withoutUndefined({
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    required: required.length > 0 ? required : undefined,
    'x-kubernetes-validations': rules.length > 0 ? rules : undefined,
  });
}

/** The schema that the options of a field ask for. @throws InvalidSchemaError */
export function buildSchema(options: FieldOptions, where: string): JsonSchema {
  checkOptions(options, where);
  const { default: defaultValue, validations, ...rest } = options;
  const base = baseSchema(options, where);
  const rules = [...(base['x-kubernetes-validations'] ?? []), ...(validations ?? [])];
  const schema = withoutUndefined({
    ...base,
    description: rest.description,
    nullable: rest.nullable,
    enum: rest.enum ? [...rest.enum] : undefined,
    format: rest.format,
    pattern: rest.pattern,
    minLength: rest.minLength,
    maxLength: rest.maxLength,
    minimum: rest.minimum,
    maximum: rest.maximum,
    exclusiveMinimum: rest.exclusiveMinimum,
    exclusiveMaximum: rest.exclusiveMaximum,
    multipleOf: rest.multipleOf,
    minItems: rest.minItems,
    maxItems: rest.maxItems,
    minProperties: rest.minProperties,
    maxProperties: rest.maxProperties,
    default: defaultValue,
    'x-kubernetes-list-type': rest.listType,
    'x-kubernetes-list-map-keys': rest.listMapKeys ? [...rest.listMapKeys] : undefined,
    'x-kubernetes-map-type': rest.mapType,
    'x-kubernetes-preserve-unknown-fields': rest.preserveUnknownFields ?? base['x-kubernetes-preserve-unknown-fields'],
    'x-kubernetes-validations': rules.length > 0 ? rules : undefined,
  });
  checkSchema(schema, options, where);
  return schema;
}

function baseSchema({ type, arrayOf, mapOf, enum: allowed }: ElementOptions, where: string): JsonSchema {
  if (arrayOf !== undefined) return { type: 'array', items: elementSchema(arrayOf, `${where}[]`) };
  if (mapOf !== undefined) return { type: 'object', additionalProperties: elementSchema(mapOf, `${where}{}`) };
  if (typeof type === 'function') return nestedSchema(type, where);
  return namedSchema(type ?? typeOfEnum(allowed) ?? missingType(where));
}

function elementSchema(element: ElementType, where: string): JsonSchema {
  return buildSchema(typeof element === 'object' ? element : { type: element }, where);
}

function nestedSchema(type: SchemaClass, where: string): JsonSchema {
  if (fieldsOf(type).length === 0) {
    throw new InvalidSchemaError(
      where,
      `the class ${type.name} has no @Field; decorate its fields, or use type: 'object' for free-form JSON`,
    );
  }
  return schemaOf(type);
}

function namedSchema(type: TypeName): JsonSchema {
  switch (type) {
    case 'int-or-string':
      return { 'x-kubernetes-int-or-string': true };
    case 'any':
      return { 'x-kubernetes-preserve-unknown-fields': true };
    case 'object':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { type };
  }
}

function typeOfEnum(allowed: ElementOptions['enum']): TypeName | undefined {
  const values = allowed?.filter((value) => value !== null) ?? [];
  if (values.length === 0) return undefined;
  if (values.every((value) => typeof value === 'string')) return 'string';
  if (values.every((value) => Number.isInteger(value))) return 'integer';
  return undefined;
}

function missingType(where: string): never {
  throw new InvalidSchemaError(where, `has no type; say type: 'string', type: 'integer', type: SomeClass, arrayOf: ... or mapOf: ...`);
}
