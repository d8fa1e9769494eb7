import { isRecord } from '../json';
import { InvalidSchemaError } from './crd.errors';
import type { FieldOptions } from './field-options';
import { numberFormats, stringFormats } from './formats';
import type { JsonSchema } from './json-schema';
import { UnsupportedPatternError, compileRe2 } from './pattern';
import { schemaProblems } from './schema-problems';

type SchemaType = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'int-or-string' | 'any';

const numbers: readonly SchemaType[] = ['integer', 'number', 'int-or-string'];
const strings: readonly SchemaType[] = ['string', 'int-or-string'];
const every: readonly SchemaType[] = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'int-or-string', 'any'];

/** Which types each option is about. */
const applicability: Record<keyof FieldOptions, readonly SchemaType[]> = {
  type: every,
  arrayOf: ['array'],
  mapOf: ['object'],
  description: every,
  nullable: every,
  optional: every,
  default: every,
  enum: every,
  validations: every,
  format: ['string', 'integer', 'number'],
  pattern: strings,
  minLength: strings,
  maxLength: strings,
  minimum: numbers,
  maximum: numbers,
  exclusiveMinimum: numbers,
  exclusiveMaximum: numbers,
  // The API server cuts off a fraction before it divides, so only whole numbers have one meaning.
  multipleOf: ['integer', 'int-or-string'],
  minItems: ['array'],
  maxItems: ['array'],
  listType: ['array'],
  listMapKeys: ['array'],
  minProperties: ['object'],
  maxProperties: ['object'],
  mapType: ['object'],
  preserveUnknownFields: ['object', 'any'],
};

/** Mistakes in what was written. @throws InvalidSchemaError */
export function checkOptions(options: FieldOptions, where: string): void {
  const unknown = Object.keys(options).filter((key) => !Object.hasOwn(applicability, key));
  if (unknown.length > 0) fail(where, `unknown option ${unknown.join(', ')}; known are ${Object.keys(applicability).join(', ')}`);

  const shapes = (['type', 'arrayOf', 'mapOf'] as const).filter((key) => options[key] !== undefined);
  if (shapes.length > 1) fail(where, `${shapes.join(' and ')} exclude each other; keep one`);

  const sized = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
  for (const key of sized) {
    const value = options[key];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      fail(where, `${key} must be a whole number of 0 or more, not ${value}`);
  }
  if (options.optional && options.default !== undefined) fail(where, 'a field with a default is optional anyway; drop optional');
  if (options.pattern !== undefined) checkPattern(options.pattern, where);
}

/** Mistakes in what it comes to. @throws InvalidSchemaError */
export function checkSchema(schema: JsonSchema, options: FieldOptions, where: string): void {
  const type = typeOf(schema);
  for (const key of Object.keys(options) as (keyof FieldOptions)[]) {
    if (options[key] !== undefined && !applicability[key].includes(type)) {
      fail(where, `${key} is for ${applicability[key].join(', ')}; this field is ${type}`);
    }
  }
  checkOrder(schema, where);
  checkNumbers(schema, where);
  checkFormat(schema, where);
  checkLists(schema, where);
  checkRules(schema, where);
  checkEnum(schema, where);
  if (schema.default !== undefined) checkDefault(schema, where);
}

function typeOf(schema: JsonSchema): SchemaType {
  return schema['x-kubernetes-int-or-string'] ? 'int-or-string' : (schema.type ?? 'any');
}

function checkPattern(pattern: string, where: string): void {
  try {
    compileRe2(pattern);
  } catch (error) {
    if (!(error instanceof UnsupportedPatternError)) throw error;
    throw new InvalidSchemaError(where, error.message, { cause: error });
  }
}

function checkOrder(schema: JsonSchema, where: string): void {
  const pairs = [
    ['minimum', 'maximum'],
    ['minLength', 'maxLength'],
    ['minItems', 'maxItems'],
    ['minProperties', 'maxProperties'],
  ] as const;
  for (const [low, high] of pairs) {
    const from = schema[low];
    const to = schema[high];
    if (from !== undefined && to !== undefined && from > to) fail(where, `${low} ${from} is above ${high} ${to}; no value fits`);
  }
}

function checkNumbers(schema: JsonSchema, where: string): void {
  if (schema.exclusiveMinimum && schema.minimum === undefined) fail(where, 'exclusiveMinimum needs a minimum');
  if (schema.exclusiveMaximum && schema.maximum === undefined) fail(where, 'exclusiveMaximum needs a maximum');
  const { multipleOf = 1 } = schema;
  if (!Number.isSafeInteger(multipleOf) || multipleOf < 1) fail(where, `multipleOf must be a whole number above 0, not ${multipleOf}`);
}

function checkFormat({ type, format }: JsonSchema, where: string): void {
  if (format === undefined) return;
  const known =
    type === 'string'
      ? Object.keys(stringFormats)
      : Object.keys(numberFormats).filter((name) => name.startsWith('int') === (type === 'integer'));
  if (!known.includes(format)) fail(where, `the format ${format} is not one of ${known.join(', ')}; use a pattern instead`);
}

function checkLists(schema: JsonSchema, where: string): void {
  const keys = schema['x-kubernetes-list-map-keys'];
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set' && schema.items) checkSetItems(schema.items, where);
  if (listType === 'map') checkMapKeys(schema, keys ?? [], where);
  else if (keys) fail(where, "listMapKeys is for listType: 'map'");
}

function checkMapKeys({ items }: JsonSchema, keys: readonly string[], where: string): void {
  if (keys.length === 0) fail(where, "listType: 'map' needs listMapKeys: the fields that tell the elements apart");
  if (!items?.properties) return fail(where, "listType: 'map' needs elements of a decorated class");
  if (new Set(keys).size < keys.length) fail(where, 'listMapKeys names a field twice');
  for (const key of keys) {
    const property = items.properties[key];
    if (!property) return fail(where, `listMapKeys names ${key}, which the elements do not have`);
    if (property.type === 'object' || property.type === 'array') fail(where, `listMapKeys names ${key}, which is no scalar`);
    if (property.nullable) fail(where, `listMapKeys names ${key}, which is nullable`);
    const alwaysThere = items.required?.includes(key) === true || property.default !== undefined;
    if (!alwaysThere) fail(where, `listMapKeys names ${key}: make it required, or give it a default`);
  }
}

function checkSetItems(items: JsonSchema, where: string): void {
  if (items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic') {
    fail(where, "listType: 'set' needs scalar elements, or objects with mapType: 'atomic'");
  }
  if (items.type === 'array' && !['atomic', undefined].includes(items['x-kubernetes-list-type'])) {
    fail(where, "listType: 'set' needs scalar elements, or lists with listType: 'atomic'");
  }
  if (items.nullable) fail(where, "listType: 'set' takes no nullable elements");
}

function checkRules(schema: JsonSchema, where: string): void {
  for (const { rule, message } of schema['x-kubernetes-validations'] ?? []) {
    if (rule.trim() === '') fail(where, 'a validation rule is empty');
    if (message !== undefined && (message.trim() === '' || message.includes('\n')))
      fail(where, `the message of rule ${rule} must be one line of text`);
  }
}

function checkEnum(schema: JsonSchema, where: string): void {
  if (!schema.enum) return;
  if (schema.enum.length === 0) fail(where, 'enum is empty; no value fits');
  if (schema.nullable || schema.enum.includes(null))
    fail(where, 'null never passes an enum at the API server; make the field optional instead');
  for (const value of schema.enum) {
    const [problem] = schemaProblems(schema, value, 'value');
    if (problem) fail(where, `enum lists ${JSON.stringify(value)}, which ${problem.message}`);
  }
}

function checkDefault(schema: JsonSchema, where: string): void {
  if (schema.default === null && !schema.nullable)
    fail(where, 'the default is null; make the field nullable, or optional without a default');
  const [problem] = [...schemaProblems(schema, schema.default, 'default'), ...unknownFields(schema, schema.default, 'default')];
  if (problem) fail(where, `the default does not fit: ${problem.field} ${problem.message}`);
}

/** The API server refuses a default that pruning would change. */
function unknownFields(schema: JsonSchema, value: unknown, path: string): { field: string; message: string }[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((element, index) => unknownFields(items, element, `${path}[${index}]`)) : [];
  }
  if (!isRecord(value) || schema['x-kubernetes-preserve-unknown-fields']) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = schema.properties?.[name] ?? schema.additionalProperties;
    const field = `${path}.${name}`;
    return property ? unknownFields(property, inner, field) : [{ field, message: 'is not in the schema' }];
  });
}

function fail(where: string, problem: string): never {
  throw new InvalidSchemaError(where, problem);
}
