import { builtinTypes } from '../schema';
import type { FieldRow, JsonObject, JsonValue, Marks, TypeRef, TypeRow } from '../schema';

/** Where OpenAPI v2 and v3 differ for us: how a type is referred to, and how loose scalars are spelled. */
export interface Dialect {
  readonly refPrefix: string;
  readonly scalar: (name: string) => JsonObject;
  /** A reference with something said beside it. */
  readonly annotatedRef: (ref: JsonObject, annotations: JsonObject) => JsonObject;
}

const plainScalars: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  integer: { type: 'integer' },
  number: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  byte: { type: 'string', format: 'byte' },
  'date-time': { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  object: { type: 'object' },
  any: {},
};

export const v2: Dialect = {
  refPrefix: '#/definitions/',
  scalar: (name) => plainScalars[name] ?? (name === 'int-or-string' ? { type: 'string', format: 'int-or-string' } : { type: 'string' }),
  annotatedRef: (ref, annotations) => ({ ...ref, ...annotations }),
};

export const v3: Dialect = {
  refPrefix: '#/components/schemas/',
  scalar: (name) => plainScalars[name] ?? { oneOf: [{ type: 'string' }, { type: name === 'quantity' ? 'number' : 'integer' }] },
  annotatedRef: (ref, annotations) => (Object.keys(annotations).length === 0 ? ref : { allOf: [ref], ...annotations }),
};

export function refTo(dialect: Dialect, name: string): JsonObject {
  return { $ref: `${dialect.refPrefix}${name}` };
}

/** A built-in type and every type it leads to, by name. */
export function schemasOf(dialect: Dialect, roots: readonly string[]): JsonObject {
  const schemas: JsonObject = {};
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const row = builtinTypes.types.get(name);
    if (row === undefined || Object.hasOwn(schemas, name)) continue;
    schemas[name] = structSchema(dialect, row);
    waiting.push(...row.fields.flatMap(({ type }) => namedIn(type)));
  }
  return schemas;
}

function namedIn(type: TypeRef): string[] {
  if (type.form === 'named') return [type.name];
  return type.form === 'scalar' ? [] : namedIn(type.of);
}

function structSchema(dialect: Dialect, row: TypeRow): JsonObject {
  const required = row.fields.filter((field) => field.required).map((field) => field.name);
  return {
    type: 'object',
    properties: Object.fromEntries(row.fields.map((field) => [field.name, fieldSchema(dialect, field)])),
    ...(required.length === 0 ? {} : { required }),
    ...(row.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

function fieldSchema(dialect: Dialect, field: FieldRow): JsonObject {
  const annotations = annotationsOf(field.marks, field.type);
  if (field.type.form === 'named') return dialect.annotatedRef(refTo(dialect, field.type.name), annotations);
  return { ...typeSchema(dialect, field.type), ...annotations };
}

function typeSchema(dialect: Dialect, type: TypeRef): JsonObject {
  switch (type.form) {
    case 'named':
      return refTo(dialect, type.name);
    case 'scalar':
      return dialect.scalar(type.name);
    case 'list':
      return { type: 'array', items: typeSchema(dialect, type.of) };
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(dialect, type.of) };
  }
}

/** The extensions that clients merge by: without them a patch of a list would replace it. */
function annotationsOf(marks: Marks, type: TypeRef): JsonObject {
  const annotations: JsonObject = {};
  const say = (key: string, value: JsonValue | undefined): void => {
    if (value !== undefined) annotations[key] = value;
  };
  const strategies = [
    marks.merge === undefined ? '' : 'merge',
    marks.replace === true ? 'replace' : '',
    marks.retainKeys === true ? 'retainKeys' : '',
  ];
  const strategy = strategies.filter((name) => name !== '').join(',');
  if (type.form === 'list') {
    say('x-kubernetes-list-type', marks.mapKeys !== undefined ? 'map' : marks.set === true ? 'set' : 'atomic');
    say('x-kubernetes-list-map-keys', marks.mapKeys === undefined ? undefined : [...marks.mapKeys]);
  }
  say('x-kubernetes-map-type', marks.atomic === true ? 'atomic' : undefined);
  say('x-kubernetes-patch-merge-key', marks.merge?.key);
  say('x-kubernetes-patch-strategy', strategy === '' ? undefined : strategy);
  say('default', marks.default);
  return annotations;
}
