import { fieldType, get, isObject, put, sameJson } from '../schema';
import type { JsonObject, JsonValue, ListSchema, TypeSchema } from '../schema';
import { FieldSet } from './field-set';
import type { FieldPath, PathElement } from './field-set';
import { asItems, asMap, elementOf, isEmptyValue, isNamedField, keyedItems, shapeOf, typeBelow } from './shapes';

/** The fields that a configuration states an opinion about. */
export function fieldsOf(value: JsonValue, schema: TypeSchema): FieldSet {
  return FieldSet.of(statedPaths(value, schema, []));
}

function statedPaths(value: JsonValue, schema: TypeSchema, path: FieldPath): FieldPath[] {
  const shape = shapeOf(schema, value);
  if (shape.kind === 'leaf') return [path];
  if (shape.kind === 'list') {
    return keyedItems(shape.type, asItems(value)).flatMap(({ element, value: item }) => {
      const below = [...path, element];
      return [below, ...statedPaths(item, shape.type.items, below)];
    });
  }
  return Object.entries(asMap(value)).flatMap(([key, inner]) => {
    const below = [...path, `f:${key}`];
    const isEntry = inner === null || (isObject(inner) && isEmptyValue(inner)) || !isNamedField(shape.type, key);
    return [...(isEntry ? [below] : []), ...statedPaths(inner, fieldType(shape.type, key), below)];
  });
}

export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

interface Changes {
  readonly added: FieldPath[];
  readonly removed: FieldPath[];
  readonly modified: FieldPath[];
}

export function compare(before: JsonValue, after: JsonValue, schema: TypeSchema): Comparison {
  const changes: Changes = { added: [], removed: [], modified: [] };
  compareAt([], before, after, schema, changes);
  return { added: FieldSet.of(changes.added), removed: FieldSet.of(changes.removed), modified: FieldSet.of(changes.modified) };
}

function compareAt(
  path: FieldPath,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  schema: TypeSchema,
  changes: Changes,
): void {
  const present = after ?? before;
  if (present === undefined) return;
  if (before === undefined) changes.added.push(path);
  else if (after === undefined) changes.removed.push(path);
  const shape = shapeOf(schema, present);
  const other = before === undefined || after === undefined ? shape : shapeOf(schema, before);
  if (shape.kind === 'leaf' || (isEmptyValue(before) && isEmptyValue(after))) {
    if (before !== undefined && after !== undefined && !sameJson(before, after)) changes.modified.push(path);
    if (other.kind === 'map') compareMaps(path, asMap(before), {}, other.type, changes);
    return;
  }
  if (other.kind === 'leaf' && before !== null) changes.modified.push(path);
  if (shape.kind === 'map') compareMaps(path, asMap(before), asMap(after), shape.type, changes);
  else compareLists(path, asItems(before), asItems(after), shape.type, changes);
}

function compareMaps(path: FieldPath, before: JsonObject, after: JsonObject, type: TypeSchema, changes: Changes): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compareAt([...path, `f:${key}`], get(before, key), get(after, key), fieldType(type, key), changes);
  }
}

function compareLists(
  path: FieldPath,
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  type: ListSchema,
  changes: Changes,
): void {
  const left = new Map(keyedItems(type, before).map(({ element, value }) => [element, value]));
  const right = new Map(keyedItems(type, after).map(({ element, value }) => [element, value]));
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    compareAt([...path, element], left.get(element), right.get(element), type.items, changes);
  }
}

/**
 * The value without the items of the set; what an atomic value holds goes or stays with it. Undefined: no item of a list is left. A map
 * that was not itself to be removed stays, if empty.
 */
export function removeFields(value: JsonValue, fields: FieldSet, schema: TypeSchema): JsonValue | undefined {
  if (fields.isEmpty || isEmptyValue(value)) return value;
  const shape = shapeOf(schema, value);
  if (shape.kind === 'leaf') return value;
  if (shape.kind === 'list') return removeItems(asItems(value), fields, shape.type);
  const kept: JsonObject = {};
  for (const [key, inner] of Object.entries(asMap(value))) {
    const element = `f:${key}`;
    if (fields.has(element)) continue;
    const rest = removeFields(inner, fields.below(element), fieldType(shape.type, key));
    if (rest !== undefined) put(kept, key, rest);
  }
  return kept;
}

function removeItems(list: readonly JsonValue[], fields: FieldSet, type: ListSchema): JsonValue[] | undefined {
  const kept = list.flatMap((item) => {
    const element = elementOf(type, item);
    if (element === undefined) return [item];
    if (fields.has(element)) return [];
    const rest = removeFields(item, fields.below(element), type.items);
    return rest === undefined ? [] : [rest];
  });
  return kept.length > 0 ? kept : undefined;
}

/** Named fields that hold something count as owned too: removing all of their content removes them. */
export function withNamedFields(fields: FieldSet, schema: TypeSchema): FieldSet {
  return fields.withMembers((element: PathElement, parent: FieldPath) => {
    const type = parent.reduce(typeBelow, schema);
    return element.startsWith('f:') && isNamedField(type, element.slice(2));
  });
}
