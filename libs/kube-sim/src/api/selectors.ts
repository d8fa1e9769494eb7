import { type StoredObject, asString, valueAt } from '../store';
import { badRequest } from './api.errors';
import { type ResourceType } from './resource-type';

export type ObjectFilter = (object: StoredObject) => boolean;

const EVERYTHING: ObjectFilter = () => true;

type LabelTest = (labels: Record<string, string>) => boolean;

const EXISTS = /^(!?)\s*([A-Za-z0-9][-A-Za-z0-9_./]*)$/;
const EQUALITY = /^([A-Za-z0-9][-A-Za-z0-9_./]*)\s*(==|=|!=)\s*([-A-Za-z0-9_.]*)$/;
const COMPARISON = /^([A-Za-z0-9][-A-Za-z0-9_./]*)\s*([<>])\s*(-?\d+)$/;
const SET = /^([A-Za-z0-9][-A-Za-z0-9_./]*)\s+(in|notin)\s*\(([^()]*)\)$/;

/** Reads a label selector of equality and set requirements. @throws ApiError 400 when it cannot be read. */
export function labelFilter(selector: string): ObjectFilter {
  const tests = splitRequirements(selector).map((requirement) => labelTest(requirement, selector));
  if (tests.length === 0) return EVERYTHING;
  return ({ labels }) => tests.every((test) => test(labels));
}

function labelTest(requirement: string, selector: string): LabelTest {
  const set = SET.exec(requirement);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    if (operator === 'in') return (labels) => labels[key] !== undefined && values.has(labels[key]);
    return (labels) => labels[key] === undefined || !values.has(labels[key]);
  }
  const equality = EQUALITY.exec(requirement);
  if (equality) {
    const [, key = '', operator, value = ''] = equality;
    if (operator === '!=') return (labels) => labels[key] !== value;
    return (labels) => labels[key] === value;
  }
  const comparison = COMPARISON.exec(requirement);
  if (comparison) {
    const [, key = '', operator, bound] = comparison;
    return (labels) => {
      const value = Number(labels[key] ?? NaN);
      return operator === '>' ? value > Number(bound) : value < Number(bound);
    };
  }
  const existence = EXISTS.exec(requirement);
  if (existence) {
    const [, negation, key = ''] = existence;
    return negation === '!' ? (labels) => labels[key] === undefined : (labels) => labels[key] !== undefined;
  }
  throw badRequest(`unable to parse requirement: found '${requirement}', in selector '${selector}'`);
}

function splitRequirements(selector: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index <= selector.length; index++) {
    const char = selector[index];
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (index === selector.length || (char === ',' && depth === 0)) {
      const part = selector.slice(start, index).trim();
      if (part !== '') parts.push(part);
      else if (selector.trim() !== '') throw badRequest(`unable to parse requirement: found '', expected: identifier`);
      start = index + 1;
    }
  }
  return parts;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Reads a field selector without judging which fields a resource has. */
export function parseFieldSelector(selector: string): FieldRequirement[] {
  return selector
    .split(/(?<!\\),/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^([^=!]+)(==|=|!=)(.*)$/s.exec(part);
      if (!match) throw badRequest(`invalid selector: '${selector}'; can't understand '${part}'`);
      const [, field = '', operator, value = ''] = match;
      return { field, operator: operator === '!=' ? '!=' : '=', value: value.replace(/\\([\\,=])/g, '$1') };
    });
}

/** @throws ApiError 400 for a field that cannot be selected by. */
export function fieldFilter(requirements: readonly FieldRequirement[], type: ResourceType, version: string): ObjectFilter {
  if (requirements.length === 0) return EVERYTHING;
  const extra = type.versions.find(({ name }) => name === version)?.selectableFields ?? [];
  const known = new Set(['metadata.name', 'metadata.namespace', ...type.fieldSelectors, ...extra]);
  for (const { field } of requirements) {
    if (known.has(field)) continue;
    const hasOwnFields = type.custom || type.fieldSelectors.length > 0;
    throw badRequest(
      hasOwnFields
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
    );
  }
  return (object) => requirements.every(({ field, operator, value }) => (fieldValue(object, field) === value) === (operator === '='));
}

function fieldValue(stored: StoredObject, field: string): string {
  if (field === 'metadata.name' || field === 'name') return stored.name;
  if (field === 'metadata.namespace') return stored.namespace;
  if (field === 'source') return asString(valueAt(stored.object, ['source', 'component'])) || asString(stored.object.reportingComponent);
  const value = valueAt(stored.object, field.split('.'));
  if (value === undefined || value === null) return DEFAULT_FIELD_VALUES[field] ?? '';
  return typeof value === 'object' ? '' : String(value);
}

/** What a field counts as when it is not set. */
const DEFAULT_FIELD_VALUES: Readonly<Record<string, string>> = {
  'spec.unschedulable': 'false',
  'spec.hostNetwork': 'false',
  'status.successful': '0',
  'status.replicas': '0',
};
