import { deduced } from '../type-schema';
import type { FieldSchema, LeafType, ListPatch, ListSchema, MapSchema, TypeSchema } from '../type-schema';
import { kindKey, parseTypeTable } from './type-table';
import type { FieldRow, Marks, TypeRef, TypeTable } from './type-table';
import { clusterTypes } from './types/cluster';
import { coreTypes } from './types/core';
import { extensionTypes } from './types/extensions';
import { metaTypes } from './types/meta';
import { corePodTypes } from './types/pods';
import { coreVolumeTypes } from './types/volumes';
import { workloadTypes } from './types/workloads';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Every built-in type that this server knows, as parsed from the tables beside this file. */
export const builtinTypes: TypeTable = parseTypeTable([
  metaTypes,
  coreTypes,
  corePodTypes,
  coreVolumeTypes,
  workloadTypes,
  extensionTypes,
  clusterTypes,
]);

const resolveBuiltin = schemaResolver(builtinTypes);

export function isBuiltin(group: string, version: string, kind: string): boolean {
  return builtinTypes.kinds.has(kindKey(group, version, kind));
}

/** The merge knowledge of a built-in kind; for a kind that no table names, only its metadata is known. */
export function builtinSchema(group: string, version: string, kind: string): TypeSchema {
  const name = builtinTypes.kinds.get(kindKey(group, version, kind));
  return name === undefined ? objectSchema({}, deduced) : resolveBuiltin(name);
}

export function objectMetaSchema(): TypeSchema {
  return resolveBuiltin(OBJECT_META);
}

/** An API object: the given fields beside apiVersion, kind and metadata. */
export function objectSchema(fields: Readonly<Record<string, FieldSchema>>, values: TypeSchema | undefined): MapSchema {
  const text: FieldSchema = { schema: { kind: 'leaf', type: 'string' }, required: false };
  const metadata: FieldSchema = { schema: objectMetaSchema(), required: false };
  return { kind: 'map', atomic: false, fields: { ...fields, apiVersion: text, kind: text, metadata }, values };
}

function schemaResolver(table: TypeTable): (name: string) => TypeSchema {
  const made = new Map<string, MapSchema>();
  const resolve = (name: string): TypeSchema => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const row = table.types.get(name);
    if (row === undefined) return deduced;
    const fields: Record<string, FieldSchema> = {};
    const schema: MapSchema = { kind: 'map', atomic: row.atomic, fields };
    // Known before its fields are: a type may hold itself.
    made.set(name, schema);
    for (const field of row.fields) fields[field.name] = toField(field, resolve);
    return schema;
  };
  return resolve;
}

function toField(row: FieldRow, resolve: (name: string) => TypeSchema): FieldSchema {
  return {
    schema: toSchema(row.type, row.marks, resolve),
    required: row.required,
    ...(row.marks.default === undefined ? {} : { default: row.marks.default }),
    ...(row.marks.replace === true ? { patchReplaces: true } : {}),
  };
}

function toSchema(type: TypeRef, marks: Marks, resolve: (name: string) => TypeSchema): TypeSchema {
  switch (type.form) {
    case 'named': {
      const schema = resolve(type.name);
      return marks.atomic === true && schema.kind === 'map' ? { ...schema, atomic: true } : schema;
    }
    case 'map':
      return { kind: 'map', atomic: marks.atomic === true, fields: {}, values: toSchema(type.of, {}, resolve) };
    case 'list':
      return toList(type.of, marks, resolve);
    case 'scalar':
      return type.name === 'object' || type.name === 'any' ? deduced : { kind: 'leaf', type: leafType(type.name) };
  }
}

function toList(items: TypeRef, marks: Marks, resolve: (name: string) => TypeSchema): ListSchema {
  const patch: ListPatch = marks.merge === undefined ? { strategy: 'replace' } : { strategy: 'merge', mergeKey: marks.merge.key };
  const list = marks.mapKeys !== undefined ? 'map' : marks.set === true ? 'set' : 'atomic';
  return { kind: 'list', list, keys: marks.mapKeys ?? [], items: toSchema(items, {}, resolve), patch };
}

function leafType(name: string): LeafType {
  switch (name) {
    case 'int32':
    case 'int64':
    case 'integer':
      return 'integer';
    case 'number':
    case 'boolean':
    case 'int-or-string':
      return name;
    default:
      return 'string';
  }
}
