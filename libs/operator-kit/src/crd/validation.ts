import { type ValidationError, validateSync } from 'class-validator';
import { isRecord } from '../json';
import type { LocatedContext } from './field';
import type { SchemaClass } from './field-options';
import { fieldsOf } from './field-registry';
import { type FieldProblem, joinPath } from './schema-problems';

/** Everything class-validator finds wrong with a plain object, seen as an object of the decorated class. */
export function validateAs(type: SchemaClass, value: unknown): FieldProblem[] {
  if (!isRecord(value)) return [{ field: '', message: 'must be of type object' }];
  const errors = validateSync(instanceOf(type, value));
  return errors.flatMap((error) => problemsOf(error, joinPath('', error.property)));
}

/** Only the declared fields are taken over: the API server prunes the others before it looks. */
function instanceOf(type: SchemaClass, value: Record<string, unknown>): object {
  const instance = Object.create(type.prototype as object) as Record<string, unknown>;
  for (const { name, nested } of fieldsOf(type)) {
    if (!Object.hasOwn(value, name)) continue;
    const inner = value[name];
    instance[name] = nested ? nestedInstance(nested.type, inner) : inner;
  }
  return instance;
}

function nestedInstance(type: SchemaClass, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => nestedInstance(type, element));
  return isRecord(value) ? instanceOf(type, value) : value;
}

function problemsOf(error: ValidationError, path: string): FieldProblem[] {
  const problems = Object.entries(error.constraints ?? {}).flatMap(([constraint, message]) => {
    // Said better by the type constraint, which every field has.
    if (constraint === 'nestedValidation') return [];
    const context = error.contexts?.[constraint] as LocatedContext | undefined;
    return context ? context.locate(error.value, path) : [{ field: path, message }];
  });
  if (error.constraints && 'type' in error.constraints) return problems;
  const isList = Array.isArray(error.value);
  // An element that is no object was reported by the content constraint; class-validator would go on inside it.
  const children = (error.children ?? []).filter(({ value }) => !isList || isRecord(value));
  const inner = children.flatMap((child) => problemsOf(child, isList ? `${path}[${child.property}]` : joinPath(path, child.property)));
  return [...problems, ...inner];
}
