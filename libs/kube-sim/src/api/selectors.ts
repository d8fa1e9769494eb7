import { type StoredObject, asString, valueAt } from '../store';
import { badRequest } from './api.errors';
import { eventFieldToCore } from './event-conversion';
import { parseLabelSelector } from './label-selector';
import { type ResourceType } from './resource-type';

export type ObjectFilter = (object: StoredObject) => boolean;

const EVERYTHING: ObjectFilter = () => true;

/** @throws ApiError 400 for a selector that cannot be read. */
export function labelFilter(selector: string): ObjectFilter {
  const tests = parseLabelSelector(selector);
  if (tests.length === 0) return EVERYTHING;
  return ({ labels }) => tests.every((test) => test(labels));
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
  return (object) =>
    requirements.every(
      ({ field, operator, value }) =>
        (fieldValue(object, type.group === 'events.k8s.io' ? eventFieldToCore(field) : field) === value) === (operator === '='),
    );
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
