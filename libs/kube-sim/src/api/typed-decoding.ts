import { type LeafType, type TypeSchema } from '../schema';
import { type JsonObject, type JsonValue, isObject } from '../store';
import { badRequest } from './api.errors';

export interface Decoded {
  readonly object: JsonObject;
  /** Paths of fields that the type does not have; they are not in the object any more. */
  readonly unknownFields: readonly string[];
}

/**
 * Reads an object as a built-in type: fields the type does not have are left out, nulls count as unset.
 *
 * @throws ApiError 400 for a value of the wrong JSON type.
 */
export function decodeTyped(kind: string, version: string, object: JsonObject, schema: TypeSchema): Decoded {
  const unknownFields: string[] = [];
  const refuse = (value: JsonValue, path: string, type: string): never => {
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: json: cannot unmarshal ${jsonType(value)} into Go struct field ${kind}${path} of type ${type}`,
    );
  };

  const decode = (value: JsonValue, type: TypeSchema, path: string, goPath: string): JsonValue => {
    switch (type.kind) {
      case 'deduced':
        return value;
      case 'leaf':
        if (!fits(value, type.type)) refuse(value, goPath, goType(type.type));
        return value;
      case 'list':
        if (!Array.isArray(value)) return refuse(value, goPath, '[]object');
        return value.map((item, index) => (item === null ? item : decode(item, type.items, `${path}[${index}]`, goPath)));
      case 'map':
        if (!isObject(value)) return refuse(value, goPath, 'object');
        return decodeMap(value, type, path, goPath);
    }
  };

  const decodeMap = (value: JsonObject, type: TypeSchema & { kind: 'map' }, path: string, goPath: string): JsonObject => {
    const decoded: JsonObject = {};
    for (const [key, entry] of Object.entries(value)) {
      const field = Object.hasOwn(type.fields, key) ? type.fields[key]?.schema : undefined;
      const entryType = field ?? type.values;
      if (!entryType) unknownFields.push(path === '' ? key : `${path}.${key}`);
      else if (entry !== null)
        decoded[key] = decode(entry, entryType, path === '' ? key : `${path}.${key}`, field ? `${goPath}.${key}` : goPath);
    }
    return decoded;
  };

  const decoded = decode(object, schema, '', '');
  return { object: isObject(decoded) ? decoded : {}, unknownFields };
}

function fits(value: JsonValue, type: LeafType): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'number';
  }
}

const goType = (type: LeafType): string => (type === 'integer' ? 'int32' : type === 'boolean' ? 'bool' : type);

function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
