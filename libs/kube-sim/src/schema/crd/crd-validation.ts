import { at, has, isObject, listAt, objectAt, sameJson, textAt } from '../json';
import type { JsonObject, JsonValue } from '../json';
import { dns1035Label, dnsSubdomain, invalid, notSupported, required, validateObjectMeta } from '../validation';
import type { FieldError, NameRule } from '../validation';
import { asOpenApiSchema } from './open-api-schema';
import { validateStructural } from './structural-rules';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/**
 * What the API server would refuse about a CustomResourceDefinition that has its defaults: names, versions, schemas, rules, columns; with
 * the stored one given, also what may not change.
 */
export function validateCrd(crd: JsonObject, old?: JsonObject): FieldError[] {
  const spec = objectAt(crd, 'spec') ?? {};
  return [
    ...validateObjectMeta(crd, nameRule(spec), old),
    ...validateGroup(spec),
    ...validateScope(spec),
    ...validateEachVersion(spec),
    ...validateVersions(crd, spec),
    ...validateNames(objectAt(spec, 'names') ?? {}),
    ...(old === undefined ? [] : validateCrdUpdate(crd, old)),
  ];
}

function nameRule(spec: JsonObject): NameRule {
  const expected = `${textAt(spec, 'names', 'plural')}.${textAt(spec, 'group')}`;
  return (name) => [...dnsSubdomain(name), ...(name === expected ? [] : ['must be spec.names.plural+"."+spec.group'])];
}

function validateGroup(spec: JsonObject): FieldError[] {
  const group = textAt(spec, 'group');
  if (group === '') return [required('spec.group')];
  const problems = dnsSubdomain(group);
  if (problems.length > 0) return [invalid('spec.group', group, problems.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function validateScope(spec: JsonObject): FieldError[] {
  const scope = textAt(spec, 'scope');
  if (scope === '') return [required('spec.scope')];
  return scope === 'Cluster' || scope === 'Namespaced' ? [] : [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])];
}

function validateVersions(crd: JsonObject, spec: JsonObject): FieldError[] {
  const versions = listAt(spec, 'versions').filter(isObject);
  const names = versions.map((version) => textAt(version, 'name'));
  const stored = versions.filter((version) => version.storage === true);
  const shown = versions.map(internalVersion);
  return [
    ...(new Set(names).size === names.length ? [] : [invalid('spec.versions', shown, 'must contain unique version names')]),
    ...(stored.length === 1 ? [] : [invalid('spec.versions', shown, 'must have exactly one version marked as storage version')]),
    ...(stored.length === 0 && listAt(crd, 'status', 'storedVersions').length === 0
      ? [invalid('status.storedVersions', null, 'must have at least one stored version')]
      : []),
  ];
}

/** The API server shows its internal type here, without what it keeps once for all versions. */
function internalVersion(version: JsonObject): JsonObject {
  return {
    Name: textAt(version, 'name'),
    Served: version.served === true,
    Storage: version.storage === true,
    Deprecated: version.deprecated === true,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

function validateEachVersion(spec: JsonObject): FieldError[] {
  const versions = listAt(spec, 'versions').filter(isObject);
  const names = versions.flatMap((version, index) => {
    const name = textAt(version, 'name');
    const problems = dns1035Label(name);
    const fields = index === 0 ? [`spec.versions[${index}].name`, 'spec.version'] : [`spec.versions[${index}].name`];
    return problems.length === 0 ? [] : fields.map((field) => invalid(field, name, problems.join(',')));
  });
  return [
    ...names,
    ...places(versions, 'schema', 'spec.validation').flatMap(([value, path]) => validateSchema(value, path)),
    ...places(versions, 'subresources', 'spec.subresources').flatMap(([value, path]) => validateScale(objectAt(value, 'scale'), path)),
    ...places(versions, 'additionalPrinterColumns', 'spec.additionalPrinterColumns').flatMap(([value, path]) =>
      (Array.isArray(value) ? value : []).flatMap((column, index) => validateColumn(column, `${path}[${index}]`)),
    ),
  ];
}

/** What all versions have in common the API server keeps, and names in errors, once: not under a version. */
function places(versions: readonly JsonObject[], key: string, shared: string): [JsonValue | undefined, string][] {
  const [first, ...rest] = versions;
  if (first === undefined) return [];
  const isShared = first[key] !== undefined && rest.every((version) => sameJson(version[key], first[key]));
  return isShared ? [[first[key], shared]] : versions.map((version, index) => [version[key], `spec.versions[${index}].${key}`]);
}

function validateSchema(value: JsonValue | undefined, path: string): FieldError[] {
  const schema = objectAt(value, 'openAPIV3Schema');
  const field = `${path}.openAPIV3Schema`;
  return schema === undefined ? [required(field)] : validateStructural(asOpenApiSchema(schema), field);
}

function validateScale(scale: JsonObject | undefined, path: string): FieldError[] {
  if (scale === undefined) return [];
  const under = (key: string, root: string): FieldError[] => {
    const value = textAt(scale, key);
    if (value === '') return [required(`${path}.scale.${key}`)];
    return value.startsWith(`${root}.`) ? [] : [invalid(`${path}.scale.${key}`, value, `should be a json path under ${root}`)];
  };
  return [...under('specReplicasPath', '.spec'), ...under('statusReplicasPath', '.status')];
}

function validateColumn(column: JsonValue, path: string): FieldError[] {
  const type = textAt(column, 'type');
  const format = textAt(column, 'format');
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  return [
    ...(textAt(column, 'name') === '' ? [required(`${path}.name`)] : []),
    ...(type === '' ? [required(`${path}.type`, types)] : COLUMN_TYPES.includes(type) ? [] : [invalid(`${path}.type`, type, types)]),
    ...(format === '' || COLUMN_FORMATS.includes(format)
      ? []
      : [invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`)]),
    ...(textAt(column, 'jsonPath') === '' ? [required(`${path}.JSONPath`)] : []),
  ];
}

function validateNames(names: JsonObject): FieldError[] {
  const missing = ['plural', 'singular', 'kind', 'listKind']
    .filter((key) => textAt(names, key) === '')
    .map((key) => required(`spec.names.${key}`));
  const lower = ['plural', 'singular'].flatMap((key) => labelErrors(textAt(names, key), `spec.names.${key}`));
  const mixed = ['kind', 'listKind'].flatMap((key) => {
    const value = textAt(names, key);
    const problems = value === '' ? [] : dns1035Label(value.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    return problems.length === 0 ? [] : [invalid(`spec.names.${key}`, value, detail)];
  });
  const lists = ['shortNames', 'categories'].flatMap((key) =>
    listAt(names, key).flatMap((name, index) => (typeof name === 'string' ? labelErrors(name, `spec.names.${key}[${index}]`) : [])),
  );
  const kind = textAt(names, 'kind');
  const isSame = kind !== '' && kind === textAt(names, 'listKind');
  return [
    ...missing,
    ...lower,
    ...mixed,
    ...lists,
    ...(isSame ? [invalid('spec.names.listKind', kind, 'kind and listKind may not be the same')] : []),
  ];
}

function labelErrors(name: string, field: string): FieldError[] {
  const problems = name === '' ? [] : dns1035Label(name);
  return problems.length === 0 ? [] : [invalid(field, name, problems.join(','))];
}

function validateCrdUpdate(crd: JsonObject, old: JsonObject): FieldError[] {
  const conditions = listAt(old, 'status', 'conditions').filter(isObject);
  const isEstablished = conditions.some((condition) => condition.type === 'Established' && condition.status === 'True');
  const always = [
    ['spec', 'group'],
    ['spec', 'names', 'plural'],
  ];
  const afterwards = [
    ['spec', 'scope'],
    ['spec', 'names', 'kind'],
  ];
  const fixed = (isEstablished ? [...afterwards, ...always] : always)
    .filter((path) => !sameJson(at(crd, ...path), at(old, ...path)))
    .map((path) => invalid(path.join('.'), at(crd, ...path) ?? null, 'field is immutable'));
  return [...fixed, ...validateStoredVersions(crd)];
}

function validateStoredVersions(crd: JsonObject): FieldError[] {
  const status = objectAt(crd, 'status') ?? {};
  if (!has(status, 'storedVersions')) return [];
  const names = listAt(crd, 'spec', 'versions').map((version) => textAt(version, 'name'));
  return listAt(status, 'storedVersions').flatMap((stored, index) => {
    if (typeof stored !== 'string' || names.includes(stored)) return [];
    const detail = `missing from spec.versions; ${stored} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${stored} and removes ${stored} from status.storedVersions`;
    return [invalid(`status.storedVersions[${index}]`, stored, detail)];
  });
}
