import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ValidateBy, ValidateNested } from 'class-validator';
import type { AgreesWith, ElementOptions, FieldOptions, SchemaClass } from './field-options';
import { InvalidSchemaError } from './crd.errors';
import { type FieldRecord, fieldsOf, registerField, registerRules } from './field-registry';
import { buildSchema } from './field-schema';
import type { CelRule, JsonSchema } from './json-schema';
import { keywordChecks } from './keywords';
import { type FieldProblem, contentProblems } from './schema-problems';

/** What a constraint on a container adds to its verdict: the places inside the value that are wrong. */
export interface LocatedContext {
  locate(value: unknown, path: string): FieldProblem[];
}

/**
 * One field of a custom resource: its schema for the API server and, under the hood, class-validator's decorators for this process.
 *
 * A field is required unless it says `optional: true` or has a `default`. Types do not exist at run time, so the declaration is
 * checked by the compiler instead: an optional field without `?`, or a `number` whose schema lets strings through, does not compile.
 *
 * @throws InvalidSchemaError while the class is defined, for options that contradict each other or that no API server would take.
 */
export function Field<const O extends FieldOptions>(options: O) {
  return <T extends object, K extends keyof T & string>(target: T, name: K & AgreesWith<O, T[K]>): void => {
    defineField(target, name, options);
  };
}

/** `@Field` without the compiler's agreement check, for fields that are put on a class by code. */
export function defineField(prototype: object, name: string, options: FieldOptions): void {
  const where = `${prototype.constructor.name}.${name}`;
  const complete = withDeclaredType(options, prototype, name, where);
  const schema = buildSchema(complete, where);
  const nested = nestedType(complete);
  const field: FieldRecord = { name, schema, required: !options.optional && options.default === undefined, nested };
  registerField(prototype, field);
  for (const decorate of validatorsFor(field)) decorate(prototype, name);
}

/** Validation rules in CEL on every object of a class; `self` is the object. Run by the API server only. */
export function CelRules(...rules: readonly CelRule[]) {
  return (type: SchemaClass): void => {
    if (rules.some(({ rule }) => rule.trim() === '')) throw new InvalidSchemaError(type.name, 'a validation rule is empty');
    registerRules(type, rules);
  };
}

/** The compiler leaves the constructor of the declared type behind: enough to tell strings, booleans and classes, not kinds of number. */
function withDeclaredType(options: FieldOptions, prototype: object, name: string, where: string): FieldOptions {
  if (options.type ?? options.arrayOf ?? options.mapOf ?? options.enum) return options;
  const declared: unknown = Reflect.getMetadata('design:type', prototype, name);
  switch (declared) {
    case String:
      return { ...options, type: 'string' };
    case Boolean:
      return { ...options, type: 'boolean' };
    case Number:
      throw new InvalidSchemaError(where, `is a number of which kind? Say type: 'integer' or type: 'number'`);
    case Array:
      throw new InvalidSchemaError(where, `is a list of what? Say arrayOf: 'string' or arrayOf: SomeClass`);
    default:
      return typeof declared === 'function' && fieldsOf(declared as SchemaClass).length > 0
        ? { ...options, type: declared as SchemaClass }
        : options;
  }
}

function nestedType({ type, arrayOf }: ElementOptions): FieldRecord['nested'] {
  if (typeof type === 'function') return { kind: 'object', type };
  const element = typeof arrayOf === 'object' && arrayOf.arrayOf === undefined && arrayOf.mapOf === undefined ? arrayOf.type : arrayOf;
  return typeof element === 'function' ? { kind: 'array', type: element } : undefined;
}

function validatorsFor(field: FieldRecord): PropertyDecorator[] {
  const decorators = [...keywordChecks(field.schema)].map(([keyword, check]) =>
    ValidateBy({
      name: keyword,
      validator: { validate: (value: unknown) => check(value) === undefined, defaultMessage: (args) => check(args?.value) ?? '' },
    }),
  );
  if (field.required) decorators.push(requiredValidator());
  if (field.nested) {
    const { type } = field.nested;
    decorators.push(
      Type(() => type),
      ValidateNested(),
    );
  }
  const content = contentCheck(field);
  if (content) decorators.push(contentValidator(content));
  return decorators;
}

function requiredValidator(): PropertyDecorator {
  return ValidateBy({
    name: 'required',
    validator: { validate: (value: unknown) => value !== undefined, defaultMessage: () => 'is required' },
  });
}

/** What class-validator cannot look into: scalars in lists, maps, and elements that are no objects at all. */
function contentCheck({ schema, nested }: FieldRecord): LocatedContext['locate'] | undefined {
  if (nested?.kind === 'object') return undefined;
  if (!nested) return (schema.items ?? schema.additionalProperties) ? (value, path) => contentProblems(schema, value, path) : undefined;
  const shallow: JsonSchema = { ...schema, items: { type: 'object', nullable: schema.items?.nullable } };
  return (value, path) => contentProblems(shallow, value, path);
}

function contentValidator(locate: LocatedContext['locate']): PropertyDecorator {
  const context: LocatedContext = { locate };
  const describe = (value: unknown, path: string) =>
    locate(value, path)
      .map(({ field, message }) => `${field} ${message}`)
      .join('; ');
  return ValidateBy(
    {
      name: 'content',
      validator: {
        validate: (value: unknown) => locate(value, '').length === 0,
        defaultMessage: (args) => describe(args?.value, args?.property ?? ''),
      },
    },
    { context },
  );
}
