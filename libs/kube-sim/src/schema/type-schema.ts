import type { JsonValue } from './json';

/**
 * What the server must know of a type to merge two versions of an object: which maps and lists are one value, which are many, and by
 * which keys list items are told apart. Trees may be cyclic (a JSON schema holds JSON schemas): walk them along a value.
 */
export type TypeSchema = LeafSchema | MapSchema | ListSchema | DeducedSchema;

export type LeafType = 'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'any';

export interface LeafSchema {
  readonly kind: 'leaf';
  readonly type: LeafType;
}

export interface MapSchema {
  readonly kind: 'map';
  /** An atomic map has one owner and is replaced whole. */
  readonly atomic: boolean;
  readonly fields: Readonly<Record<string, FieldSchema>>;
  /** The type of keys that are not listed in `fields`; absent: there are no such keys. */
  readonly values?: TypeSchema;
}

export interface FieldSchema {
  readonly schema: TypeSchema;
  readonly required: boolean;
  readonly default?: JsonValue;
  /** A strategic merge patch replaces the whole value although it is a map. */
  readonly patchReplaces?: boolean;
}

export type ListKind = 'atomic' | 'set' | 'map';

export interface ListSchema {
  readonly kind: 'list';
  readonly list: ListKind;
  /** The fields that identify an item of a `map` list. */
  readonly keys: readonly string[];
  readonly items: TypeSchema;
  /** How a strategic merge patch treats the list; its key may differ from `keys` (a Service's ports: `port`, not port and protocol). */
  readonly patch: ListPatch;
}

export type ListPatch = { readonly strategy: 'replace' } | { readonly strategy: 'merge'; readonly mergeKey: string | undefined };

/** Nothing is declared: maps are granular, lists are atomic, whatever the value turns out to be. */
export interface DeducedSchema {
  readonly kind: 'deduced';
}

export const deduced: DeducedSchema = { kind: 'deduced' };

/** The type of one key of a map value; deduced when nothing is known of it. */
export function fieldType(schema: TypeSchema, key: string): TypeSchema {
  if (schema.kind !== 'map') return deduced;
  const field = Object.hasOwn(schema.fields, key) ? schema.fields[key] : undefined;
  return field?.schema ?? schema.values ?? deduced;
}

export function itemType(schema: TypeSchema): TypeSchema {
  return schema.kind === 'list' ? schema.items : deduced;
}
