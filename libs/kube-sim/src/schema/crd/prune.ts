import { objectMetaSchema } from '../builtins';
import { isList, isObject, put } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { declaresProperty, metaFields, propertySchema } from './open-api-schema';
import type { OpenApiSchema } from './open-api-schema';

export interface Pruned {
  readonly object: JsonObject;
  /** `spec.foo`, `spec.list[0].bar`: what was dropped, sorted. */
  readonly unknown: string[];
}

/** Drops every field that the schema does not declare; of metadata, what ObjectMeta does not have. */
export function pruneObject(object: JsonObject, schema: OpenApiSchema): Pruned {
  const unknown: string[] = [];
  const pruned = prune(object, { ...schema, 'x-kubernetes-embedded-resource': true }, '', unknown);
  return { object: isObject(pruned) ? pruned : {}, unknown: unknown.sort() };
}

/** For defaults, which hold no metadata of their own. */
export function pruneValue(value: JsonValue, schema: OpenApiSchema): JsonValue {
  return prune(value, schema, '', []);
}

function prune(value: JsonValue, schema: OpenApiSchema | undefined, path: string, unknown: string[]): JsonValue {
  if (isList(value)) return value.map((item, index) => prune(item, schema?.items ?? keepAll(schema), `${path}[${index}]`, unknown));
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    const below = path === '' ? key : `${path}.${key}`;
    const isMeta = schema?.['x-kubernetes-embedded-resource'] === true && metaFields.has(key);
    if (isMeta) put(kept, key, key === 'metadata' ? pruneMeta(inner, below, unknown) : inner);
    else if (schema !== undefined && isDeclared(schema, key))
      put(kept, key, prune(inner, propertySchema(schema, key) ?? openSchema(schema, key), below, unknown));
    else if (schema?.['x-kubernetes-preserve-unknown-fields'] === true) put(kept, key, inner);
    else unknown.push(below);
  }
  return kept;
}

function pruneMeta(metadata: JsonValue, path: string, unknown: string[]): JsonValue {
  const type = objectMetaSchema();
  if (!isObject(metadata) || type.kind !== 'map') return metadata;
  const isKnown = (key: string): boolean => Object.hasOwn(type.fields, key);
  unknown.push(
    ...Object.keys(metadata)
      .filter((key) => !isKnown(key))
      .map((key) => `${path}.${key}`),
  );
  return Object.fromEntries(Object.entries(metadata).filter(([key, value]) => isKnown(key) && !isNothing(value)));
}

/** Metadata is of a known type even here, and that type cannot hold empty lists and maps. */
function isNothing(value: JsonValue): boolean {
  if (value === null) return true;
  return isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function isDeclared(schema: OpenApiSchema, key: string): boolean {
  return declaresProperty(schema, key) || (schema.additionalProperties !== undefined && schema.additionalProperties !== false);
}

/** `additionalProperties: true` lets any value in, whole. */
function openSchema(schema: OpenApiSchema, key: string): OpenApiSchema | undefined {
  return schema.additionalProperties === true && !declaresProperty(schema, key)
    ? { 'x-kubernetes-preserve-unknown-fields': true }
    : undefined;
}

function keepAll(schema: OpenApiSchema | undefined): OpenApiSchema | undefined {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true ? { 'x-kubernetes-preserve-unknown-fields': true } : undefined;
}
