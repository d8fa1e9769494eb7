import { asOpenApiSchema, isObject, objectAt, without } from '../schema';
import type { JsonObject } from '../schema';
import { refTo, schemasOf } from './dialect';
import type { Dialect } from './dialect';
import { gvkOf, schemaNameOf } from './served-kind';
import type { ServedKind } from './served-kind';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const GVK = 'x-kubernetes-group-version-kind';

/** The schemas of all given kinds with everything they refer to, each kind marked with what it is called. */
export function schemasOfKinds(dialect: Dialect, kinds: readonly ServedKind[]): JsonObject {
  const schemas = schemasOf(dialect, [OBJECT_META, ...kinds.map(schemaNameOf)]);
  for (const kind of kinds) {
    const name = schemaNameOf(kind);
    const known = objectAt(schemas, name);
    schemas[name] = { ...(known ?? customSchema(dialect, kind)), [GVK]: [gvkOf(kind)] };
  }
  return schemas;
}

function customSchema(dialect: Dialect, kind: ServedKind): JsonObject {
  const schema = kind.schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const { properties } = asOpenApiSchema(schema);
  return {
    ...without(schema, 'x-kubernetes-validations'),
    properties: {
      ...(isObject(properties) ? properties : {}),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: dialect.annotatedRef(refTo(dialect, OBJECT_META), {}),
    },
  };
}
