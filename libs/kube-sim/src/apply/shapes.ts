import { deduced, fieldType, get, isList, isObject } from '../schema';
import type { FieldSchema, JsonObject, JsonValue, ListSchema, MapSchema, TypeSchema } from '../schema';
import type { PathElement } from './field-set';

/** How one value is owned: as a whole, or key by key, or item by item. */
export type Shape =
  { readonly kind: 'leaf' } | { readonly kind: 'map'; readonly type: TypeSchema } | { readonly kind: 'list'; readonly type: ListSchema };

const leaf: Shape = { kind: 'leaf' };

export function shapeOf(schema: TypeSchema, value: JsonValue): Shape {
  switch (schema.kind) {
    case 'leaf':
      return leaf;
    case 'map':
      return schema.atomic ? leaf : { kind: 'map', type: schema };
    case 'list':
      return schema.list === 'atomic' ? leaf : { kind: 'list', type: schema };
    case 'deduced':
      return isObject(value) ? { kind: 'map', type: deduced } : leaf;
  }
}

/** A named field is part of its struct's type; other keys of a map are entries that exist only by being there. */
export function isNamedField(type: TypeSchema, key: string): boolean {
  return type.kind === 'map' && Object.hasOwn(type.fields, key);
}

/** The type one step down, for a walk along a path. */
export function typeBelow(type: TypeSchema, element: PathElement): TypeSchema {
  if (element.startsWith('f:')) return fieldType(type, element.slice(2));
  return type.kind === 'list' ? type.items : deduced;
}

export interface KeyedItem {
  readonly element: PathElement;
  readonly value: JsonValue;
}

/** The items of a set or map list with the elements that identify them. Items without their keys cannot be told apart and are left out. */
export function keyedItems(type: ListSchema, list: readonly JsonValue[]): KeyedItem[] {
  return list.flatMap((value) => {
    const element = elementOf(type, value);
    return element === undefined ? [] : [{ element, value }];
  });
}

export function elementOf(type: ListSchema, value: JsonValue): PathElement | undefined {
  if (type.list === 'set') return `v:${JSON.stringify(value)}`;
  if (!isObject(value)) return undefined;
  const keys: JsonObject = {};
  for (const key of [...type.keys].sort()) {
    const found = get(value, key) ?? keyDefault(type, key);
    if (found !== undefined && found !== null) keys[key] = found;
  }
  return Object.keys(keys).length === 0 ? undefined : `k:${JSON.stringify(keys)}`;
}

function keyDefault(type: ListSchema, key: string): JsonValue | undefined {
  const items: TypeSchema = type.items;
  if (items.kind !== 'map') return undefined;
  const fields: MapSchema['fields'] = items.fields;
  const field: FieldSchema | undefined = fields[key];
  return field?.default;
}

export function asMap(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function asItems(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

export function isEmptyValue(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
