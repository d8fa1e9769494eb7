import 'reflect-metadata';
import type { SchemaClass } from './field-options';
import type { CelRule, JsonSchema } from './json-schema';

/** One decorated field of a class. */
export interface FieldRecord {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  /** The decorated class of the field itself, or of its elements. */
  readonly nested?: { readonly kind: 'object' | 'array'; readonly type: SchemaClass };
}

const fieldsKey = Symbol('operator-kit:fields');
const rulesKey = Symbol('operator-kit:rules');

/** Puts a field on the class that owns `prototype`. */
export function registerField(prototype: object, field: FieldRecord): void {
  const own = (Reflect.getOwnMetadata(fieldsKey, prototype) as FieldRecord[] | undefined) ?? [];
  Reflect.defineMetadata(fieldsKey, [...own.filter(({ name }) => name !== field.name), field], prototype);
}

export function registerRules(type: SchemaClass, rules: readonly CelRule[]): void {
  Reflect.defineMetadata(rulesKey, rules, type.prototype as object);
}

/** The fields of a class and of those it extends, in the order they are written; a redeclared field is taken from the subclass. */
export function fieldsOf(type: SchemaClass): FieldRecord[] {
  const fields = new Map<string, FieldRecord>();
  for (const prototype of lineage(type)) {
    const own = (Reflect.getOwnMetadata(fieldsKey, prototype) as FieldRecord[] | undefined) ?? [];
    for (const field of own) fields.set(field.name, field);
  }
  return [...fields.values()];
}

export function rulesOf(type: SchemaClass): CelRule[] {
  return lineage(type).flatMap((prototype) => (Reflect.getOwnMetadata(rulesKey, prototype) as CelRule[] | undefined) ?? []);
}

function lineage(type: SchemaClass): object[] {
  const chain: object[] = [];
  for (let prototype = type.prototype as object | null; prototype; prototype = Object.getPrototypeOf(prototype) as object | null) {
    chain.unshift(prototype);
  }
  return chain;
}
