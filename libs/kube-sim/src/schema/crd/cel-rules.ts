import { Optional } from '@marcbachmann/cel-js';
import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import { get, isList, isObject } from '../json';
import type { JsonValue } from '../json';
import { duplicate, forbidden, invalid, omitted, required } from '../validation';
import type { BadValue, FieldError } from '../validation';
import { inGoTerms, kubernetesCel } from './cel-environment';
import type { CelType } from './cel-types';
import { toCel } from './cel-values';
import { correlated } from './correlation';
import { propertySchema } from './open-api-schema';
import type { OpenApiSchema, ValidationRule } from './open-api-schema';

/**
 * The `x-kubernetes-validations` of a schema tree, compiled once. Rules that mention `oldSelf` run only where the old object has a value to
 * compare with. A rule that does not compile, or fails while it runs, is an error of the object, never an exception.
 */
export class CelRules {
  private readonly environment = kubernetesCel().registerVariable('self', 'dyn').registerVariable('oldSelf', 'dyn');
  private readonly programs = new Map<string, ParseResult>();

  /** The parts of the schema that have a rule, or have one below them: all others need no visit. */
  private readonly ruled = new Set<OpenApiSchema>();

  constructor(private readonly schema: OpenApiSchema) {
    this.findRuled(schema);
  }

  get isEmpty(): boolean {
    return this.ruled.size === 0;
  }

  validate(value: JsonValue, old: JsonValue | undefined): FieldError[] {
    return this.walk(value, old, this.schema, '');
  }

  private findRuled(schema: OpenApiSchema): void {
    const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
    const schemas = inner.filter((one) => typeof one === 'object');
    for (const one of schemas) this.findRuled(one);
    if ((schema['x-kubernetes-validations'] ?? []).length > 0 || schemas.some((one) => this.ruled.has(one))) this.ruled.add(schema);
  }

  private walk(value: JsonValue, old: JsonValue | undefined, schema: OpenApiSchema, path: string): FieldError[] {
    if (value === null || !this.ruled.has(schema)) return [];
    const own = (schema['x-kubernetes-validations'] ?? []).flatMap((rule) => this.run(rule, value, old, schema, path));
    return [...own, ...this.walkInner(value, old, schema, path)];
  }

  private walkInner(value: JsonValue, old: JsonValue | undefined, schema: OpenApiSchema, path: string): FieldError[] {
    if (isList(value)) {
      const { items } = schema;
      if (items === undefined) return [];
      return value.flatMap((item, index) => this.walk(item, correlated(item, schema, old), items, `${path}[${index}]`));
    }
    if (!isObject(value)) return [];
    return Object.entries(value).flatMap(([key, inner]) => {
      const property = propertySchema(schema, key);
      if (property === undefined) return [];
      const isNamed = schema.properties?.[key] !== undefined;
      const below = isNamed ? childPath(path, key) : `${path}[${key}]`;
      return this.walk(inner, isObject(old) ? get(old, key) : undefined, property, below);
    });
  }

  private run(rule: ValidationRule, value: JsonValue, old: JsonValue | undefined, schema: OpenApiSchema, path: string): FieldError[] {
    if (usesOldSelf(rule.rule) && old === undefined && rule.optionalOldSelf !== true) return [];
    const variables = { self: toCel(value, schema), oldSelf: oldVariable(rule, old, schema) };
    const outcome = this.evaluate(rule.rule, variables);
    if (outcome.failure !== undefined) {
      return [invalid(path, schema.type ?? '', `${outcome.failure} evaluating rule: ${rule.message ?? rule.rule}`)];
    }
    if (outcome.result === true) return [];
    const field = rule.fieldPath === undefined || rule.fieldPath === '' ? path : `${path}${rule.fieldPath}`.replace(/^\./, '');
    return [errorFor(rule, field, badValue(value, schema), this.messageOf(rule, variables))];
  }

  private messageOf(rule: ValidationRule, variables: Record<string, unknown>): string {
    if (rule.messageExpression !== undefined && rule.messageExpression !== '') {
      const { result } = this.evaluate(rule.messageExpression, variables);
      if (typeof result === 'string' && result.trim() !== '' && !result.includes('\n')) return result;
    }
    return rule.message === undefined || rule.message === '' ? `failed rule: ${rule.rule}` : rule.message.trim();
  }

  private evaluate(expression: string, variables: Record<string, unknown>): { result?: unknown; failure?: string } {
    try {
      const program = this.programs.get(expression) ?? this.environment.parse(inGoTerms(expression));
      this.programs.set(expression, program);
      return { result: program(variables) as unknown };
    } catch (error) {
      return { failure: firstLine(error).replace('No such key', 'no such key') };
    }
  }
}

/** What keeps a rule from compiling against the schema it stands on; undefined when it compiles to a verdict. */
export function ruleProblem(rule: string, type: CelType, expected: 'bool' | 'string'): string | undefined {
  const environment = withSelf(kubernetesCel(), 'self', type);
  const { valid, type: result, error } = withSelf(environment, 'oldSelf', type).check(rule);
  if (!valid) return compileError(rule, firstLine(error), error?.node?.pos ?? 0);
  if (result === expected || result === 'dyn') return undefined;
  return expected === 'bool' ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string';
}

/** The place is marked under the rule, as the API server's compiler does. */
function compileError(rule: string, problem: string, position: number): string {
  const words = problem
    .replace(/^No such key: (.*)$/, "undefined field '$1'")
    .replace(/^no such overload: (\S+) (\S+) (\S+)$/, "found no matching overload for '_$2_' applied to '($1, $3)'");
  return `compilation failed: ERROR: <input>:1:${position + 1}: ${words}\n | ${rule}\n | ${'.'.repeat(position)}^`;
}

function withSelf(environment: Environment, name: string, type: CelType): Environment {
  return typeof type === 'string' ? environment.registerVariable(name, type) : environment.registerVariable(name, { schema: type });
}

function usesOldSelf(rule: string): boolean {
  return /\boldSelf\b/.test(rule.replace(/"[^"]*"|'[^']*'/g, ''));
}

function oldVariable(rule: ValidationRule, old: JsonValue | undefined, schema: OpenApiSchema): unknown {
  const value = old === undefined ? undefined : toCel(old, schema);
  if (rule.optionalOldSelf !== true) return value ?? null;
  return value === undefined ? Optional.none() : Optional.of(value);
}

function badValue(value: JsonValue, schema: OpenApiSchema): BadValue {
  return schema.type === 'object' || schema.type === 'array' ? omitted : value;
}

function errorFor(rule: ValidationRule, field: string, value: BadValue, message: string): FieldError {
  switch (rule.reason ?? '') {
    case 'FieldValueForbidden':
      return forbidden(field, message);
    case 'FieldValueRequired':
      return required(field, message);
    case 'FieldValueDuplicate':
      return duplicate(field, value);
    default:
      return invalid(field, value, message);
  }
}

function childPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
