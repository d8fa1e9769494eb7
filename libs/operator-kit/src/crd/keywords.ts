import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../json';
import type { NumberFormat, StringFormat } from './field-options';
import { numberFormats, stringFormats } from './formats';
import type { JsonSchema } from './json-schema';
import { compileRe2 } from './pattern';

/** What is wrong with a value in the eyes of one keyword; undefined when nothing is, or when the keyword is about other types. */
export type KeywordCheck = (value: unknown) => string | undefined;

/** The checks that a schema makes of a value itself, not of what is inside it. */
export function keywordChecks(schema: JsonSchema): Map<string, KeywordCheck> {
  const checks = new Map<string, KeywordCheck>([['type', typeCheck(schema)]]);
  const add = (keyword: keyof JsonSchema, build: () => KeywordCheck) => {
    if (schema[keyword] !== undefined) checks.set(keyword, build());
  };
  add('enum', () => enumCheck(schema.enum ?? []));
  add('format', () => formatCheck(schema));
  add('pattern', () => patternCheck(schema.pattern ?? ''));
  add('minLength', () => atLeast(schema.minLength, runes, 'characters'));
  add('maxLength', () => atMost(schema.maxLength, runes, 'characters'));
  add('minimum', () => minimumCheck(schema));
  add('maximum', () => maximumCheck(schema));
  add('multipleOf', () => multipleOfCheck(schema.multipleOf ?? 1));
  add('minItems', () => atLeast(schema.minItems, items, 'items'));
  add('maxItems', () => atMost(schema.maxItems, items, 'items'));
  add('minProperties', () => atLeast(schema.minProperties, properties, 'properties'));
  add('maxProperties', () => atMost(schema.maxProperties, properties, 'properties'));
  return checks;
}

function typeCheck(schema: JsonSchema): KeywordCheck {
  const type = schema['x-kubernetes-int-or-string'] ? 'integer or string' : schema.type;
  return (value) => {
    if (value === undefined || type === undefined) return undefined;
    if (value === null) return schema.nullable ? undefined : `must be of type ${type}, not null`;
    return hasType(value, type) ? undefined : `must be of type ${type}`;
  };
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return isInteger(value);
    case 'integer or string':
      return isInteger(value) || typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

/** The API server reads whole numbers into 64 bits. */
function isInteger(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 63;
}

function enumCheck(allowed: readonly unknown[]): KeywordCheck {
  const message = `must be one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`;
  return (value) => (value === undefined || allowed.some((one) => isDeepStrictEqual(one, value)) ? undefined : message);
}

function formatCheck(schema: JsonSchema): KeywordCheck {
  const message = `must be in the format ${schema.format}`;
  if (schema.type === 'string') {
    const matches = stringFormats[schema.format as StringFormat];
    return (value) => (typeof value !== 'string' || matches(value) ? undefined : message);
  }
  const fits = numberFormats[schema.format as NumberFormat];
  return (value) => (typeof value !== 'number' || fits(value) ? undefined : message);
}

function patternCheck(pattern: string): KeywordCheck {
  const expression = compileRe2(pattern);
  return (value) => (typeof value !== 'string' || expression.test(value) ? undefined : `must match ${pattern}`);
}

function minimumCheck({ minimum = 0, exclusiveMinimum }: JsonSchema): KeywordCheck {
  const isLow = exclusiveMinimum ? (value: number) => value <= minimum : (value: number) => value < minimum;
  const message = exclusiveMinimum ? `must be more than ${minimum}` : `must be at least ${minimum}`;
  return (value) => (typeof value === 'number' && isLow(value) ? message : undefined);
}

function maximumCheck({ maximum = 0, exclusiveMaximum }: JsonSchema): KeywordCheck {
  const isHigh = exclusiveMaximum ? (value: number) => value >= maximum : (value: number) => value > maximum;
  const message = exclusiveMaximum ? `must be less than ${maximum}` : `must be at most ${maximum}`;
  return (value) => (typeof value === 'number' && isHigh(value) ? message : undefined);
}

function multipleOfCheck(factor: number): KeywordCheck {
  return (value) => (typeof value === 'number' && value % factor !== 0 ? `must be a multiple of ${factor}` : undefined);
}

type Measure = (value: unknown) => number | undefined;

/** The API server counts Unicode code points, not UTF-16 units. */
const runes: Measure = (value) => (typeof value === 'string' ? Array.from(value).length : undefined);
const items: Measure = (value) => (Array.isArray(value) ? value.length : undefined);
const properties: Measure = (value) => (isRecord(value) ? Object.keys(value).length : undefined);

function atLeast(limit = 0, measure: Measure, unit: string): KeywordCheck {
  return (value) => ((measure(value) ?? limit) < limit ? `must have at least ${limit} ${unit}` : undefined);
}

function atMost(limit = 0, measure: Measure, unit: string): KeywordCheck {
  return (value) => ((measure(value) ?? limit) > limit ? `must have at most ${limit} ${unit}` : undefined);
}
