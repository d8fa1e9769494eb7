import { objectSchema } from '../builtins';
import { deduced } from '../type-schema';
import type { FieldSchema, ListSchema, MapSchema, TypeSchema } from '../type-schema';
import type { OpenApiSchema } from './open-api-schema';

/** The merge knowledge of a custom resource. Its lists are atomic unless declared otherwise, and no strategic merge exists for them. */
export function schemaFromOpenApi(schema: OpenApiSchema): TypeSchema {
  const root = toMap(schema);
  return objectSchema(root.fields, root.values);
}

function toType(schema: OpenApiSchema): TypeSchema {
  if (schema['x-kubernetes-int-or-string'] === true) return { kind: 'leaf', type: 'int-or-string' };
  switch (schema.type) {
    case undefined:
      return deduced;
    case 'object':
      return schema['x-kubernetes-embedded-resource'] === true ? embedded(schema) : toMap(schema);
    case 'array':
      return toList(schema);
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { kind: 'leaf', type: schema.type };
  }
}

function embedded(schema: OpenApiSchema): TypeSchema {
  const map = toMap(schema);
  return { ...objectSchema(map.fields, map.values), atomic: map.atomic };
}

function toMap(schema: OpenApiSchema): MapSchema {
  const required = new Set(schema.required);
  const fields: Record<string, FieldSchema> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const fallback = property.default === undefined ? {} : { default: property.default };
    fields[name] = { schema: toType(property), required: required.has(name), ...fallback };
  }
  const values = valuesOf(schema);
  return { kind: 'map', atomic: schema['x-kubernetes-map-type'] === 'atomic', fields, ...(values === undefined ? {} : { values }) };
}

function valuesOf(schema: OpenApiSchema): TypeSchema | undefined {
  if (typeof schema.additionalProperties === 'object') return toType(schema.additionalProperties);
  return schema.additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'] === true ? deduced : undefined;
}

function toList(schema: OpenApiSchema): ListSchema {
  return {
    kind: 'list',
    list: schema['x-kubernetes-list-type'] ?? 'atomic',
    keys: schema['x-kubernetes-list-map-keys'] ?? [],
    items: schema.items === undefined ? deduced : toType(schema.items),
    patch: { strategy: 'replace' },
  };
}
