import { type JsonObject, asArray, asObject, asString } from '../store';
import { type FieldProblem } from './api.errors';
import { type NameRule, type ResourceType } from './resource-type';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const SERVICE = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const QUALIFIED_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const TEXT = {
  subdomain:
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  label:
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  service:
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  labelValue:
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  qualifiedName:
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
};

/** What is wrong with an object's metadata, before anything of its kind is looked at. */
export function metadataProblems(type: ResourceType, object: JsonObject): FieldProblem[] {
  const metadata = asObject(object.metadata);
  return [
    ...nameProblems(type.nameRule, asString(metadata.name)),
    ...mapProblems('metadata.labels', asObject(metadata.labels), 'values-are-labels'),
    ...mapProblems('metadata.annotations', asObject(metadata.annotations), 'values-are-free'),
    ...ownerProblems(asArray(metadata.ownerReferences)),
    ...finalizerProblems(asArray(metadata.finalizers)),
  ];
}

function nameProblems(rule: NameRule, name: string): FieldProblem[] {
  const field = 'metadata.name';
  if (name === '') return [{ field, reason: 'FieldValueRequired', message: 'Required value: name or generateName is required' }];
  const bad = (why: string): FieldProblem => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(name)}: ${why}`,
  });
  switch (rule) {
    case 'path-segment':
      if (name === '.' || name === '..') return [bad(`may not be '${name}'`)];
      return /[/%]/.test(name) ? [bad(`may not contain '${name.includes('/') ? '/' : '%'}'`)] : [];
    case 'label':
      if (name.length > 63) return [bad('must be no more than 63 characters')];
      return LABEL.test(name) ? [] : [bad(TEXT.label)];
    case 'service':
      if (name.length > 63) return [bad('must be no more than 63 characters')];
      return SERVICE.test(name) ? [] : [bad(TEXT.service)];
    case 'subdomain':
      if (name.length > 253) return [bad('must be no more than 253 characters')];
      return SUBDOMAIN.test(name) ? [] : [bad(TEXT.subdomain)];
  }
}

function mapProblems(field: string, map: JsonObject, values: 'values-are-labels' | 'values-are-free'): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const bad = (value: string, why: string): void => {
    problems.push({ field, reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${why}` });
  };
  for (const [key, value] of Object.entries(map)) {
    for (const why of qualifiedNameProblems(key)) bad(key, why);
    if (values === 'values-are-free' || typeof value !== 'string') continue;
    if (value.length > 63) bad(value, 'must be no more than 63 characters');
    if (value !== '' && !QUALIFIED_PART.test(value)) bad(value, TEXT.labelValue);
  }
  return problems;
}

function qualifiedNameProblems(key: string): string[] {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const problems: string[] = [];
  if (parts.length > 2) return [`a qualified name ${TEXT.qualifiedName.slice(10)}`];
  if (parts.length === 2 && !SUBDOMAIN.test(parts[0] ?? '')) problems.push(`prefix part ${TEXT.subdomain}`);
  if (name === '') problems.push('name part must be non-empty');
  if (name.length > 63) problems.push('name part must be no more than 63 characters');
  if (!QUALIFIED_PART.test(name)) problems.push(TEXT.qualifiedName);
  return problems;
}

function ownerProblems(owners: readonly unknown[]): FieldProblem[] {
  const problems: FieldProblem[] = [];
  let controllers = 0;
  owners.forEach((owner) => {
    const reference = asObject(owner);
    const required = (field: string, text: string): void => {
      if (asString(reference[field]) !== '') return;
      problems.push({ field: `metadata.ownerReferences.${field}`, reason: 'FieldValueInvalid', message: `Invalid value: "": ${text}` });
    };
    required('apiVersion', 'version must not be empty');
    required('kind', 'must not be empty');
    required('name', 'must not be empty');
    required('uid', 'must not be empty');
    if (reference.controller === true) controllers++;
  });
  if (controllers > 1) {
    problems.push({
      field: 'metadata.ownerReferences',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(owners)}: Only one reference can have Controller set to true. Found "true" in references for ${controllerNames(owners)}`,
    });
  }
  return problems;
}

const controllerNames = (owners: readonly unknown[]): string =>
  owners
    .map(asObject)
    .filter((owner) => owner.controller === true)
    .map((owner) => asString(owner.name))
    .join(' and ');

function finalizerProblems(finalizers: readonly unknown[]): FieldProblem[] {
  return finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(String(finalizer)).map((why) => ({
      field: 'metadata.finalizers',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(finalizer)}: ${why}`,
    })),
  );
}
