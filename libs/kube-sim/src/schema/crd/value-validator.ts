import { get, has, isList, isObject, sameJson } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { invalid, noField, notSupported, required, tooLong, tooMany, typeInvalid } from '../validation';
import type { FieldError } from '../validation';
import { correlated } from './correlation';
import { hasFormat } from './formats';
import { matchesPattern } from './go-regexp';
import { propertySchema } from './open-api-schema';
import type { OpenApiSchema } from './open-api-schema';

/**
 * Checks a value against a schema in the API server's words. With the old value given, parts that did not change are let through even if
 * they are wrong, so that tightening a schema does not lock existing objects.
 */
export function validateValue(value: JsonValue, schema: OpenApiSchema, path = '', old?: JsonValue): FieldError[] {
  if (old !== undefined && path !== '' && sameJson(value, old)) return [];
  if (value === null) return schema.nullable === true || typesOf(schema) === '' ? [] : [wrongType(path, schema, 'null')];
  return [
    ...validateType(value, schema, path),
    ...validateCombinations(value, schema, path),
    ...(typeof value === 'string' ? validateText(value, schema, path) : []),
    ...(typeof value === 'number' ? validateNumber(value, schema, path) : []),
    ...(isList(value) ? validateList(value, schema, path, old) : []),
    ...validateEnum(value, schema, path),
    ...(isObject(value) ? validateMap(value, schema, path, old) : []),
  ];
}

function typesOf(schema: OpenApiSchema): string {
  return schema['x-kubernetes-int-or-string'] === true ? 'integer,string' : (schema.type ?? '');
}

function wrongType(path: string, schema: OpenApiSchema, actual: string): FieldError {
  return typeInvalid(path, actual, `${where(path)} must be of type ${typesOf(schema)}: ${JSON.stringify(actual)}`);
}

function validateType(value: JsonValue, schema: OpenApiSchema, path: string): FieldError[] {
  const expected = typesOf(schema);
  if (expected === '') return [];
  if (schema.type === 'integer' && isBeyondInt64(value)) return [tooLarge(path, schema)];
  const actual = typeName(value);
  const fits = expected.split(',').includes(actual) || (expected === 'number' && actual === 'integer');
  return fits ? [] : [wrongType(path, schema, actual)];
}

/** Go reads a whole number that 64 bits cannot hold as a float. */
function isBeyondInt64(value: JsonValue): boolean {
  return typeof value === 'number' && Number.isInteger(value) && (value >= 2 ** 63 || value < -(2 ** 63));
}

function tooLarge(path: string, { format }: OpenApiSchema): FieldError {
  const [expected, actual] = format === undefined ? ['integer', 'number'] : [format, 'float64'];
  return typeInvalid(path, actual, `${where(path)} must be of type ${expected}: ${JSON.stringify(actual)}`);
}

function typeName(value: JsonValue): string {
  if (isList(value)) return 'array';
  if (isObject(value)) return 'object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function where(path: string): string {
  return `${path} in body`;
}

function validateText(text: string, schema: OpenApiSchema, path: string): FieldError[] {
  const runes = Array.from(text).length;
  const errors: FieldError[] = [];
  if (schema.maxLength !== undefined && runes > schema.maxLength) errors.push(tooLong(path, schema.maxLength));
  if (schema.minLength !== undefined && runes < schema.minLength) {
    errors.push(invalid(path, text, `${where(path)} should be at least ${schema.minLength} chars long`));
  }
  if (!matchesPattern(schema, text)) {
    errors.push(invalid(path, text, `${where(path)} should match '${schema.pattern ?? ''}'`));
  }
  const isText = schema.type === 'string' || schema.type === undefined;
  if (schema.format !== undefined && isText && !hasFormat(schema.format, text)) {
    errors.push(typeInvalid(path, text, `${where(path)} must be of type ${schema.format}: ${JSON.stringify(text)}`));
  }
  return errors;
}

function validateNumber(value: number, schema: OpenApiSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const say = (detail: string): number => errors.push(invalid(path, value, `${where(path)} should be ${detail}`));
  const { multipleOf } = schema;
  const minimum = limitFor(value, schema.minimum);
  const maximum = limitFor(value, schema.maximum);
  if (schema.type === 'integer' && !fitsInteger(value, schema.format)) {
    const kind = schema.format === undefined ? '(default format)' : `with format ${schema.format}`;
    errors.push(invalid(noField, '', `Checked value must be of type integer ${kind} in ${path}`));
  }
  if (schema.type === 'number' && schema.format === 'float' && !Number.isFinite(Math.fround(value))) {
    errors.push(invalid(noField, '', `Checked value must be of type number with format float in ${path}`));
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) say(`a multiple of ${multipleOf}`);
  if (maximum !== undefined && schema.exclusiveMaximum === true && value >= maximum) say(`less than ${maximum}`);
  if (maximum !== undefined && schema.exclusiveMaximum !== true && value > maximum) say(`less than or equal to ${maximum}`);
  if (minimum !== undefined && schema.exclusiveMinimum === true && value <= minimum) say(`greater than ${minimum}`);
  if (minimum !== undefined && schema.exclusiveMinimum !== true && value < minimum) say(`greater than or equal to ${minimum}`);
  return errors;
}

/** The API server compares whole numbers with the whole part of a limit. */
function limitFor(value: number, limit: number | undefined): number | undefined {
  return limit !== undefined && Number.isInteger(value) ? Math.trunc(limit) : limit;
}

function fitsInteger(value: number, format: string | undefined): boolean {
  return Number.isInteger(value) && !isBeyondInt64(value) && (format !== 'int32' || (value <= 2147483647 && value >= -2147483648));
}

function isMultiple(value: number, factor: number): boolean {
  const times = value / factor;
  return Math.abs(times - Math.round(times)) < 1e-9;
}

function validateList(list: readonly JsonValue[], schema: OpenApiSchema, path: string, old: JsonValue | undefined): FieldError[] {
  const { items, minItems, maxItems } = schema;
  const errors =
    items === undefined
      ? []
      : list.flatMap((item, index) => validateValue(item, items, `${path}[${index}]`, correlated(item, schema, old)));
  if (minItems !== undefined && list.length < minItems) {
    errors.push(invalid(path, list.length, `${where(path)} should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) errors.push(tooMany(path, list.length, maxItems));
  const repeats =
    schema.uniqueItems === true && list.some((item, index) => list.slice(0, index).some((earlier) => sameJson(earlier, item)));
  if (repeats) errors.push(invalid(path, '', `${where(path)} shouldn't contain duplicates`));
  return errors;
}

function validateEnum(value: JsonValue, schema: OpenApiSchema, path: string): FieldError[] {
  if (schema.enum === undefined || schema.enum.length === 0 || schema.enum.some((one) => sameJson(one, value))) return [];
  return [notSupported(path, value, schema.enum)];
}

function validateMap(map: JsonObject, schema: OpenApiSchema, path: string, old: JsonValue | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const size = Object.keys(map).length;
  if (schema.minProperties !== undefined && size < schema.minProperties) {
    errors.push(invalid(path, size, `${where(path)} should have at least ${schema.minProperties} properties`));
  }
  if (schema.maxProperties !== undefined && size > schema.maxProperties) errors.push(tooMany(path, size, schema.maxProperties));
  for (const [key, inner] of Object.entries(map)) {
    const property = propertySchema(schema, key);
    const before = isObject(old) ? get(old, key) : undefined;
    if (property !== undefined) errors.push(...validateValue(inner, property, childPath(path, key), before));
  }
  const missing = requiredKeys(schema).filter((key) => !has(map, key));
  return [...errors, ...missing.map((key) => required(childPath(path, key)))];
}

/** An embedded resource must say what it is. */
function requiredKeys(schema: OpenApiSchema): string[] {
  const kind = schema['x-kubernetes-embedded-resource'] === true ? ['apiVersion', 'kind'] : [];
  return [...new Set([...(schema.required ?? []), ...kind])];
}

function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function validateCombinations(value: JsonValue, schema: OpenApiSchema, path: string): FieldError[] {
  const check = (alternative: OpenApiSchema): FieldError[] => validateValue(value, alternative, path);
  const say = (detail: string): FieldError => invalid(noField, '', `${JSON.stringify(path)} ${detail}`);
  const errors: FieldError[] = [];
  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const results = schema.anyOf.map(check);
    if (!results.some(isEmpty)) errors.push(say('must validate at least one schema (anyOf)'), ...closest(results));
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const results = schema.oneOf.map(check);
    const valid = results.filter(isEmpty).length;
    if (valid > 1) errors.push(say(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`));
    if (valid === 0) errors.push(say('must validate one and only one schema (oneOf). Found none valid'), ...closest(results));
  }
  if (schema.allOf !== undefined) {
    const results = schema.allOf.map(check);
    const valid = results.filter(isEmpty).length;
    if (valid !== results.length)
      errors.push(...results.flat(), say(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`));
  }
  if (schema.not !== undefined && isEmpty(check(schema.not))) errors.push(say('must not validate the schema (not)'));
  return errors;
}

function isEmpty(errors: readonly FieldError[]): boolean {
  return errors.length === 0;
}

/** The alternative that was missed by the least says best what was meant. */
function closest(results: readonly FieldError[][]): FieldError[] {
  return results.reduce((best, errors) => (errors.length < best.length ? errors : best), results[0] ?? []);
}
