import type { CelRule, Json } from './json-schema';

/** A class whose fields are decorated with `@Field`. */
export type SchemaClass<T extends object = object> = new () => T;

/**
 * - `int-or-string`: a number or a string, such as a port or a percentage;
 * - `object`: any JSON object, kept as it is;
 * - `any`: any JSON value, kept as it is.
 */
export type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'object' | 'any';

/** The formats that the API server checks, and this kit with it; `password` is checked by neither and hides the value in some tools. */
export type StringFormat = 'byte' | 'cidr' | 'date' | 'date-time' | 'duration' | 'ipv4' | 'ipv6' | 'password' | 'uuid';
export type NumberFormat = 'int32' | 'int64' | 'float' | 'double';

/** What the elements of a list or a map are: a type, a decorated class, or a type with limits. */
export type ElementType = TypeName | SchemaClass | ElementOptions;

/** The schema of one value. Limits have OpenAPI v3's names and meaning. */
export interface ElementOptions {
  /** A scalar or a decorated class. May be left out for strings, booleans and classes when the compiler emits decorator metadata. */
  type?: TypeName | SchemaClass;
  /** A list of these. */
  arrayOf?: ElementType;
  /** An object with free keys and these values. */
  mapOf?: ElementType;

  description?: string;
  /** `null` is a value of this field. Without it the API server refuses null, or replaces it by the default. */
  nullable?: boolean;
  enum?: readonly Json[];
  format?: StringFormat | NumberFormat;

  /** RE2 syntax; matches anywhere unless anchored. Patterns that RE2 has not (lookahead, backreferences) are refused. */
  pattern?: string;
  /** In Unicode code points. */
  minLength?: number;
  maxLength?: number;

  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  exclusiveMaximum?: boolean;
  multipleOf?: number;

  minItems?: number;
  maxItems?: number;
  /** `set`: no two equal elements; `map`: no two elements with equal keys. Both are merged by server-side apply. */
  listType?: 'atomic' | 'set' | 'map';
  listMapKeys?: readonly string[];

  minProperties?: number;
  maxProperties?: number;
  mapType?: 'atomic' | 'granular';
  /** Fields the schema does not name are kept instead of pruned. */
  preserveUnknownFields?: boolean;

  /** Run by the API server only. */
  validations?: readonly CelRule[];
}

/** The schema of one field. */
export interface FieldOptions extends ElementOptions {
  /** A field is required unless it is `optional` or has a `default`; the declared TypeScript type must say the same with `?`. */
  optional?: boolean;
  /** Filled in by the API server, and by `withDefaults`, where the field is absent. */
  default?: Json;
}

type TypeOfName<N> = N extends 'string'
  ? string
  : N extends 'integer' | 'number'
    ? number
    : N extends 'boolean'
      ? boolean
      : N extends 'int-or-string'
        ? number | string
        : never;

type TypeOfElement<E> = E extends TypeName
  ? TypeOfName<E>
  : E extends abstract new (...args: never) => infer I
    ? I
    : E extends object
      ? ValueOf<E>
      : never;

type ValueOf<O> =
  | (O extends { enum: readonly (infer E)[] }
      ? E
      : O extends { arrayOf: infer E }
        ? TypeOfElement<E>[]
        : O extends { mapOf: infer E }
          ? Record<string, TypeOfElement<E>>
          : O extends { type: infer T }
            ? TypeOfElement<T>
            : never)
  | (O extends { nullable: true } ? null : never);

interface Mistake<Message extends string> {
  mistake: Message;
}

/** `unknown` where a declared property says what its options say, else a type that no property name has. */
export type AgreesWith<O, Declared> = O extends { default: unknown }
  ? AcceptsValue<O, Declared>
  : O extends { optional: true }
    ? undefined extends Declared
      ? AcceptsValue<O, Declared>
      : Mistake<'an optional field is declared with ?'>
    : undefined extends Declared
      ? Mistake<'a required field is declared without ?; say optional: true or give it a default'>
      : AcceptsValue<O, Declared>;

type AcceptsValue<O, Declared> = [ValueOf<O>] extends [Declared]
  ? unknown
  : Mistake<'the declared type does not hold every value that the schema lets through'>;
