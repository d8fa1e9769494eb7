import { isList, isObject, textAt } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { builtinTypes } from './builtin-schema';
import { qualified } from './type-table';
import type { FieldRow, TypeRef, TypeRow } from './type-table';

export interface Decoded {
  /** Without nulls, unknown fields, zeros, empty lists and empty maps, which the API server's types cannot tell from nothing. */
  readonly object: JsonObject;
  /** `spec.foo`: what fieldValidation=Strict refuses and Warn warns of. */
  readonly unknown: string[];
  /** What makes the server answer 400: `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. */
  readonly problems: string[];
}

/** Reads a built-in object as the API server's decoder would; other kinds pass as they are. */
export function decodeBuiltin(object: JsonObject): Decoded {
  const row = rowOf(object);
  if (row === undefined) return { object, unknown: [], problems: [] };
  const decoder = new Decoder();
  const decoded = decoder.struct(object, row, '');
  return { object: decoded, unknown: decoder.unknown.sort(), problems: decoder.problems };
}

function rowOf(object: JsonObject): TypeRow | undefined {
  const name = builtinTypes.kinds.get(`${qualified(textAt(object, 'apiVersion'))}/${textAt(object, 'kind')}`);
  return name === undefined ? undefined : builtinTypes.types.get(name);
}

interface TimeFormat {
  /** As Go writes it in its messages. */
  readonly layout: string;
  readonly pattern: RegExp;
}

const RFC3339: TimeFormat = {
  layout: '2006-01-02T15:04:05Z07:00',
  pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)$/,
};
const RFC3339_MICRO: TimeFormat = {
  layout: '2006-01-02T15:04:05.000000Z07:00',
  pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(?:Z|[+-]\d\d:\d\d)$/,
};

const PLAIN: ReadonlySet<string> = new Set(['string', 'int32', 'int64', 'integer', 'number', 'boolean']);

/** Collects what one walk over an object finds. */
class Decoder {
  readonly unknown: string[] = [];
  readonly problems: string[] = [];

  struct(object: JsonObject, row: TypeRow, path: string): JsonObject {
    const decoded: JsonObject = {};
    for (const [key, value] of Object.entries(object)) {
      const below = path === '' ? key : `${path}.${key}`;
      const field = row.fieldsByName.get(key);
      if (field === undefined) this.unknown.push(below);
      else if (isNilList(value, field)) decoded[key] = null;
      else if (isZero(value, field)) continue;
      else if (value !== null) {
        const inner = this.value(value, field.type, below, `${shortName(row)}.${withoutIndexes(below)}`);
        if (inner !== undefined) decoded[key] = inner;
      }
    }
    return decoded;
  }

  private value(value: JsonValue, type: TypeRef, path: string, goPath: string): JsonValue | undefined {
    switch (type.form) {
      case 'named':
        return isObject(value) ? this.named(value, type.name, path) : this.mismatch(value, goPath, goName(type));
      case 'list':
        if (!isList(value)) return this.mismatch(value, goPath, goName(type));
        return optional(value.map((item, index) => this.value(item, type.of, `${path}[${index}]`, goPath) ?? item));
      case 'map':
        return isObject(value) ? this.map(value, type.of, path, goPath) : this.mismatch(value, goPath, goName(type));
      case 'scalar':
        return this.scalar(value, type.name, goPath);
    }
  }

  private named(value: JsonObject, name: string, path: string): JsonObject {
    const row = builtinTypes.types.get(name);
    return row === undefined ? value : this.struct(value, row, path);
  }

  private map(value: JsonObject, type: TypeRef, path: string, goPath: string): JsonObject | undefined {
    const entries = Object.entries(value).map(([key, inner]) => [key, this.value(inner, type, `${path}.${key}`, goPath) ?? inner] as const);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }

  private scalar(value: JsonValue, type: string, goPath: string): JsonValue | undefined {
    switch (type) {
      case 'any':
      case 'object':
        return value;
      case 'quantity':
        return typeof value === 'number' ? String(value) : this.checked(value, 'string', goPath, 'resource.Quantity');
      case 'int-or-string':
        return typeof value === 'number' ? value : this.checked(value, 'string', goPath, 'intstr.IntOrString');
      case 'boolean':
        return this.checked(value, 'boolean', goPath, 'bool');
      case 'int32':
      case 'int64':
      case 'integer':
        return Number.isInteger(value) ? value : this.mismatch(value, goPath, type === 'integer' ? 'int' : type);
      case 'number':
        return this.checked(value, 'number', goPath, 'float64');
      case 'byte':
        return this.base64(value, goPath);
      case 'date-time':
        return this.time(value, goPath, 'v1.Time', RFC3339);
      case 'micro-time':
        return this.time(value, goPath, 'v1.MicroTime', RFC3339_MICRO);
      default:
        return this.checked(value, 'string', goPath, 'string');
    }
  }

  private time(value: JsonValue, goPath: string, goType: string, format: TimeFormat): JsonValue | undefined {
    if (typeof value !== 'string') return this.mismatch(value, goPath, goType);
    if (!format.pattern.test(value) || Number.isNaN(Date.parse(value))) {
      this.problems.push(`parsing time ${JSON.stringify(value)} as "${format.layout}"`);
    }
    return value;
  }

  private base64(value: JsonValue, goPath: string): JsonValue | undefined {
    if (typeof value !== 'string') return this.mismatch(value, goPath, '[]uint8');
    const wrong = /[^A-Za-z0-9+/=\r\n]/.exec(value)?.index ?? (value.replace(/[\r\n]/g, '').length % 4 === 0 ? -1 : value.length);
    if (wrong >= 0) this.problems.push(`illegal base64 data at input byte ${wrong}`);
    return value;
  }

  private checked(value: JsonValue, type: 'string' | 'boolean' | 'number', goPath: string, go: string): JsonValue | undefined {
    return typeof value === type ? value : this.mismatch(value, goPath, go);
  }

  private mismatch(value: JsonValue, goPath: string, type: string): JsonValue | undefined {
    this.problems.push(`json: cannot unmarshal ${jsonName(value)} into Go struct field ${goPath} of type ${type}`);
    return undefined;
  }
}

/** A list that must be there is written as null when it has no items. */
function isNilList(value: JsonValue, field: FieldRow): boolean {
  return field.required && field.type.form === 'list' && (value === null || (isList(value) && value.length === 0));
}

function isZero(value: JsonValue, field: FieldRow): boolean {
  if (field.keepsZero || field.type.form !== 'scalar' || !PLAIN.has(field.type.name)) return false;
  return value === '' || value === 0 || value === false;
}

function optional(list: JsonValue[]): JsonValue[] | undefined {
  return list.length === 0 ? undefined : list;
}

function shortName(row: TypeRow): string {
  return row.name.slice(row.name.lastIndexOf('.') + 1);
}

function withoutIndexes(path: string): string {
  return path.replace(/\[\d+\]/g, '');
}

function goName(type: TypeRef): string {
  switch (type.form) {
    case 'list':
      return `[]${goName(type.of)}`;
    case 'map':
      return `map[string]${goName(type.of)}`;
    case 'named':
      return type.name.split('.').slice(-2).join('.');
    case 'scalar':
      return type.name === 'boolean' ? 'bool' : type.name;
  }
}

function jsonName(value: JsonValue): string {
  if (isList(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : `number ${value}`;
  return typeof value;
}
