import { isObject } from '../json';
import type { JsonValue } from '../json';
import { forbidden, invalid, noField, notSupported, required } from '../validation';
import type { FieldError } from '../validation';
import { ruleProblem } from './cel-rules';
import { celType, rootCelType } from './cel-types';
import { withDefaults } from './defaults';
import { compileGoRegExp } from './go-regexp';
import { validateUniqueness } from './list-uniqueness';
import type { OpenApiSchema, ValidationRule } from './open-api-schema';
import { pruneValue } from './prune';
import { validateValue } from './value-validator';

type Level = 'root' | 'field' | 'item';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  field: 'must not be empty for specified object fields',
  item: 'must not be empty for specified array items',
};
/** What may be said only where the type is declared, not inside of allOf, anyOf, oneOf and not. */
const NESTED_FORBIDDEN: readonly [keyof OpenApiSchema, string][] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** The rules that make a schema structural: everything has a type, and pruning, defaulting and merging are decidable from it. */
export function validateStructural(schema: OpenApiSchema, path: string, level: Level = 'root'): FieldError[] {
  return [
    ...typeErrors(schema, path, level),
    ...shapeErrors(schema, path, level),
    ...listTypeErrors(schema, path),
    ...patternErrors(schema, path),
    ...combinationErrors(schema, path),
    ...defaultErrors(schema, path, level),
    ...ruleErrors(schema, path, level),
    ...(schema.items === undefined ? [] : validateStructural(schema.items, `${path}.items`, 'item')),
    ...propertyErrors(schema, path, level),
    ...(typeof schema.additionalProperties === 'object'
      ? validateStructural(schema.additionalProperties, `${path}.additionalProperties`, 'field')
      : []),
  ];
}

function typeErrors(schema: OpenApiSchema, path: string, level: Level): FieldError[] {
  const { type } = schema;
  const field = `${path}.type`;
  if (schema['x-kubernetes-embedded-resource'] === true && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    return [type === undefined ? required(field, detail) : invalid(field, type, detail)];
  }
  if (type === undefined) {
    const isOpen = schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
    return isOpen && level !== 'root' ? [] : [required(field, LEVEL_WORDS[level])];
  }
  if (!TYPES.includes(type)) return [notSupported(field, type, TYPES)];
  return level === 'root' && type !== 'object' ? [invalid(field, type, 'must be object at the root')] : [];
}

function shapeErrors(schema: OpenApiSchema, path: string, level: Level): FieldError[] {
  const errors: FieldError[] = [];
  const isIntOrString = schema['x-kubernetes-int-or-string'] === true;
  if (schema.type === 'array' && schema.items === undefined) errors.push(required(`${path}.items`, 'must be specified'));
  if (schema.additionalProperties !== undefined && level === 'root') {
    errors.push(forbidden(`${path}.additionalProperties`, 'must not be used at the root'));
  }
  if (schema.properties !== undefined && schema.additionalProperties !== undefined) {
    errors.push(forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive'));
  }
  if (schema.uniqueItems === true) {
    errors.push(forbidden(`${path}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'));
  }
  if (isIntOrString && schema['x-kubernetes-preserve-unknown-fields'] === true) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, true, 'must be false if x-kubernetes-int-or-string is true'));
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || Object.keys(schema.properties ?? {}).length > 0;
  if (schema['x-kubernetes-embedded-resource'] === true && !isOpen) {
    const detail = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${path}.properties`, detail));
  }
  return errors;
}

function listTypeErrors(schema: OpenApiSchema, path: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const errors: FieldError[] = [];
  if (listType !== undefined && schema.type !== 'array') {
    errors.push(invalid(`${path}.type`, schema.type ?? '', 'must be array if x-kubernetes-list-type is specified'));
  }
  if (listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    return keys.length === 0 ? errors : [...errors, required(`${path}.x-kubernetes-list-type`, detail)];
  }
  if (keys.length === 0) errors.push(required(`${path}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  if (schema.items?.type !== undefined && schema.items.type !== 'object') {
    errors.push(invalid(`${path}.items.type`, schema.items.type, "must be object if parent array's x-kubernetes-list-type is map"));
  }
  for (const key of keys) errors.push(...mapKeyErrors(schema.items ?? {}, key, path));
  return errors;
}

function mapKeyErrors(items: OpenApiSchema, key: string, path: string): FieldError[] {
  const property = items.properties?.[key];
  if (property === undefined) {
    return [invalid(`${path}.x-kubernetes-list-map-keys`, [key], 'entries must all be names of item properties')];
  }
  const isSafe = (items.required ?? []).includes(key) || property.default !== undefined;
  const detail = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
  return isSafe ? [] : [required(`${path}.items.properties[${key}].default`, detail)];
}

function patternErrors(schema: OpenApiSchema, path: string): FieldError[] {
  if (schema.pattern === undefined) return [];
  try {
    compileGoRegExp(schema.pattern);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [invalid(`${path}.pattern`, schema.pattern, `must be a valid regular expression, but isn't: ${reason}`)];
  }
}

function combinationErrors(schema: OpenApiSchema, path: string): FieldError[] {
  // The one way to spell int-or-string that names types inside of anyOf.
  const mayNameTypes = schema['x-kubernetes-int-or-string'] === true;
  return nestedSchemas(schema).flatMap(([name, nested]) => nestedErrors(nested, `${path}.${name}`, mayNameTypes));
}

function nestedSchemas(schema: OpenApiSchema): [string, OpenApiSchema][] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) =>
    (schema[key] ?? []).map((nested, index): [string, OpenApiSchema] => [`${key}[${index}]`, nested]),
  );
  return schema.not === undefined ? lists : [...lists, ['not', schema.not]];
}

function nestedErrors(schema: OpenApiSchema, path: string, mayNameTypes: boolean): FieldError[] {
  const own = NESTED_FORBIDDEN.filter(([key]) => isSet(schema[key]) && !(key === 'type' && mayNameTypes)).map(([key, detail]) =>
    forbidden(`${path}.${key}`, detail),
  );
  const metadata =
    schema.properties?.metadata === undefined
      ? []
      : [forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context')];
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    nestedErrors(property, `${path}.properties[${key}]`, false),
  );
  return [
    ...own,
    ...metadata,
    ...below,
    ...nestedSchemas(schema).flatMap(([name, nested]) => nestedErrors(nested, `${path}.${name}`, mayNameTypes)),
  ];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== false && value !== '';
}

function defaultErrors(schema: OpenApiSchema, path: string, level: Level): FieldError[] {
  const value = schema.default;
  if (value === undefined) return [];
  const field = `${path}.default`;
  if (level === 'root') return [required(`${field}.apiVersion`), required(`${field}.kind`)];
  const pruned = pruneValue(value, schema);
  if (JSON.stringify(pruned) !== JSON.stringify(value)) return [invalid(field, value, 'must not have unknown fields')];
  const filled: JsonValue = isObject(value) ? withDefaults(value, schema) : value;
  const errors = [...validateValue(filled, schema), ...validateUniqueness(filled, schema)];
  return errors.map((error) => ({ ...error, field: error.field === noField ? field : `${field}.${error.field}` }));
}

function ruleErrors(schema: OpenApiSchema, path: string, level: Level): FieldError[] {
  const type = level === 'root' ? rootCelType(schema) : celType(schema);
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => {
    const field = `${path}.x-kubernetes-validations[${index}]`;
    if (rule.rule.trim() === '') return [required(`${field}.rule`, 'rule is not specified')];
    if (rule.message?.includes('\n') === true) return [invalid(`${field}.message`, rule.message, 'must not contain line breaks')];
    const problem = ruleProblem(rule.rule, type, 'bool');
    const shown = internalRule(rule);
    const messageProblem = rule.messageExpression === undefined ? undefined : ruleProblem(rule.messageExpression, type, 'string');
    return [
      ...(problem === undefined ? [] : [invalid(`${field}.rule`, shown, problem)]),
      ...(messageProblem === undefined ? [] : [invalid(`${field}.messageExpression`, shown, messageProblem)]),
    ];
  });
}

/** The API server shows its internal type here. */
function internalRule(rule: ValidationRule): JsonValue {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

function propertyErrors(schema: OpenApiSchema, path: string, level: Level): FieldError[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const below = `${path}.properties[${key}]`;
    if (level !== 'root' || key !== 'metadata') return validateStructural(property, below, 'field');
    const isPlain = Object.keys(property.properties ?? {}).every((name) => name === 'name' || name === 'generateName');
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    return property.type === 'object' && isPlain ? [] : [forbidden(below, detail)];
  });
}
