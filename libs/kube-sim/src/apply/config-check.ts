import { fieldType, get, isList, isObject } from '../schema';
import type { JsonObject, JsonValue, LeafSchema, ListSchema, TypeSchema } from '../schema';
import { elementOf } from './shapes';
import { printPath } from './field-set';
import type { FieldPath } from './field-set';

/** What keeps a configuration from being merged: each line names the path and the problem. */
export function configProblems(value: JsonValue, schema: TypeSchema, path: FieldPath = []): string[] {
  if (value === null) return [];
  switch (schema.kind) {
    case 'deduced':
      return [];
    case 'leaf':
      return leafProblems(value, schema, path);
    case 'map':
      return isObject(value) ? mapProblems(value, schema, path) : [`${where(path)}: expected map, got ${typeName(value)}`];
    case 'list':
      return isList(value) ? listProblems(value, schema, path) : [`${where(path)}: expected list, got ${typeName(value)}`];
  }
}

function mapProblems(value: JsonObject, schema: TypeSchema & { kind: 'map' }, path: FieldPath): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = [...path, `f:${key}`];
    const isKnown = Object.hasOwn(schema.fields, key) || schema.values !== undefined;
    return isKnown ? configProblems(inner, fieldType(schema, key), below) : [`${where(below)}: field not declared in schema`];
  });
}

function listProblems(list: readonly JsonValue[], schema: ListSchema, path: FieldPath): string[] {
  if (schema.list === 'atomic') return list.flatMap((item, index) => configProblems(item, schema.items, [...path, `i:${index}`]));
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const missing = schema.keys.filter((key) => isObject(item) && get(item, key) === undefined && !hasDefault(schema, key));
    if (missing.length > 0 && schema.list === 'map') {
      const all = schema.keys.every((key) => missing.includes(key));
      const rule = all
        ? `associative list with keys has an element that omits all key fields ${quoted(missing)} (and doesn't have default values for any key fields)`
        : '';
      return all ? [`${where(path)}: element ${index}: ${rule}`] : configProblems(item, schema.items, [...path, `i:${index}`]);
    }
    const element = elementOf(schema, item);
    if (element === undefined) return [`${where(path)}: element ${index}: associative list with keys may not have non-map elements`];
    if (seen.has(element)) return [`${where(path)}: duplicate entries for key ${printPath([element])}`];
    seen.add(element);
    return configProblems(item, schema.items, [...path, element]);
  });
}

function hasDefault(schema: ListSchema, key: string): boolean {
  return schema.items.kind === 'map' && schema.items.fields[key]?.default !== undefined;
}

function leafProblems(value: JsonValue, schema: LeafSchema, path: FieldPath): string[] {
  const got = typeName(value);
  const wrong = (expected: string): string[] => [`${where(path)}: expected ${expected}, got ${got}`];
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? [] : wrong('string');
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('boolean');
    case 'integer':
    case 'number':
      return typeof value === 'number' ? [] : wrong('numeric (int or float)');
    case 'int-or-string':
    case 'any':
      return isObject(value) || isList(value) ? wrong('scalar') : [];
  }
}

function typeName(value: JsonValue): string {
  if (isList(value)) return 'list';
  if (isObject(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  return typeof value;
}

function where(path: FieldPath): string {
  return printPath(path) || '.';
}

/** As the API prints a list of names. */
function quoted(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(' ')}]`;
}
