import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../json';
import type { JsonSchema } from './json-schema';
import { keywordChecks } from './keywords';

/** One thing wrong with an object, at the path that the API server would name: `spec.ports[0].name`. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** Everything wrong with a value and what is inside it. */
export function schemaProblems(schema: JsonSchema, value: unknown, path: string): FieldProblem[] {
  if (value === undefined) return [];
  const problems: FieldProblem[] = [];
  for (const check of keywordChecks(schema).values()) {
    const message = check(value);
    if (message) problems.push({ field: path, message });
  }
  return [...problems, ...contentProblems(schema, value, path)];
}

/** Everything wrong inside a value: its elements, its properties, its duplicates. */
export function contentProblems(schema: JsonSchema, value: unknown, path: string): FieldProblem[] {
  if (Array.isArray(value)) return [...elementProblems(schema, value, path), ...duplicateProblems(schema, value, path)];
  if (isRecord(value)) return propertyProblems(schema, value, path);
  return [];
}

function elementProblems({ items }: JsonSchema, values: unknown[], path: string): FieldProblem[] {
  return items ? values.flatMap((element, index) => schemaProblems(items, element, `${path}[${index}]`)) : [];
}

function propertyProblems(schema: JsonSchema, value: Record<string, unknown>, path: string): FieldProblem[] {
  const { properties = {}, additionalProperties, required = [] } = schema;
  const missing = required
    .filter((name) => !isPresent(value, name))
    .map((name) => ({ field: joinPath(path, name), message: 'is required' }));
  const wrong = Object.keys(value).flatMap((name) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    return inner ? schemaProblems(inner, value[name], joinPath(path, name)) : [];
  });
  return [...missing, ...wrong];
}

/** A property that JSON would carry: `undefined` never reaches the API server. */
function isPresent(value: Record<string, unknown>, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

export function joinPath(path: string, name: string): string {
  return path ? `${path}.${name}` : name;
}

/** The elements of a set or a map that were there before: for each, the first repetition only, as the API server reports it. */
function duplicateProblems(schema: JsonSchema, values: unknown[], path: string): FieldProblem[] {
  const identify = identityOf(schema, values);
  if (!identify) return [];
  const seen: { identity: unknown; times: number }[] = [];
  const problems: FieldProblem[] = [];
  for (const [index, value] of values.entries()) {
    const identity = identify(value);
    const known = seen.find((other) => isDeepStrictEqual(other.identity, identity));
    if (!known) seen.push({ identity, times: 1 });
    else if (known.times++ === 1) problems.push({ field: `${path}[${index}]`, message: 'is a duplicate' });
  }
  return problems;
}

function identityOf(schema: JsonSchema, values: unknown[]): ((value: unknown) => unknown) | undefined {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return (value) => value;
  // With an element that is no object, the server reports that and looks no further.
  if (listType !== 'map' || values.some((value) => value !== null && !isRecord(value))) return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return (value) => keys.map((key) => (isRecord(value) ? value[key] : undefined));
}
