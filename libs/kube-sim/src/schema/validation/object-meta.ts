import { at, has, isObject, listAt, objectAt, sameJson, textAt } from '../json';
import type { JsonObject } from '../json';
import { forbidden, invalid, required } from './field-error';
import type { FieldError } from './field-error';
import { labelValue, qualifiedName } from './names';
import type { NameRule } from './names';

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** The rules for metadata that hold for every kind; only how names look differs. */
export function validateObjectMeta(object: JsonObject, nameRule: NameRule, old?: JsonObject): FieldError[] {
  const metadata = objectAt(object, 'metadata') ?? {};
  return [
    ...validateName(metadata, nameRule),
    ...validateLabels(objectAt(metadata, 'labels') ?? {}, 'metadata.labels'),
    ...validateAnnotations(objectAt(metadata, 'annotations') ?? {}, 'metadata.annotations'),
    ...validateOwners(metadata),
    ...validateFinalizers(metadata),
    ...(old === undefined ? [] : validateMetaUpdate(metadata, objectAt(old, 'metadata') ?? {})),
  ];
}

function validateName(metadata: JsonObject, nameRule: NameRule): FieldError[] {
  const name = textAt(metadata, 'name');
  const prefix = textAt(metadata, 'generateName');
  if (name === '') {
    if (prefix === '') return [required('metadata.name', 'name or generateName is required')];
    // A prefix may end where a name may not: the random part follows.
    return nameRule(prefix.replace(/[-.]+$/, '') || prefix).map((problem) => invalid('metadata.generateName', prefix, problem));
  }
  return nameRule(name).map((problem) => invalid('metadata.name', name, problem));
}

export function validateLabels(labels: JsonObject, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedName(key).map((problem) => invalid(field, key, problem)),
    ...(typeof value === 'string' ? labelValue(value) : []).map((problem) => invalid(field, value, problem)),
  ]);
}

function validateAnnotations(annotations: JsonObject, field: string): FieldError[] {
  const keys = Object.keys(annotations).flatMap((key) => qualifiedName(key.toLowerCase()).map((problem) => invalid(field, key, problem)));
  const bytes = Object.entries(annotations).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  if (bytes <= MAX_ANNOTATIONS_BYTES) return keys;
  return [...keys, { field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${MAX_ANNOTATIONS_BYTES} bytes` }];
}

function byteLength(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

function validateOwners(metadata: JsonObject): FieldError[] {
  const owners = listAt(metadata, 'ownerReferences').filter(isObject);
  const missing = owners.flatMap((owner) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((key) => textAt(owner, key) === '')
      .map((key) => {
        const field = `metadata.ownerReferences.${key}`;
        const detail = key === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
        return invalid(field, key === 'apiVersion' ? textAt(owner, key) : '', detail);
      }),
  );
  const controllers = owners.filter((owner) => at(owner, 'controller') === true);
  if (controllers.length < 2) return missing;
  const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controllers
    .slice(0, 2)
    .map((owner) => `${textAt(owner, 'kind')}/${textAt(owner, 'name')}`)
    .join(' and ')}`;
  return [...missing, invalid('metadata.ownerReferences', listAt(metadata, 'ownerReferences'), detail)];
}

function validateFinalizers(metadata: JsonObject): FieldError[] {
  return listAt(metadata, 'finalizers').flatMap((finalizer, index) => {
    if (typeof finalizer !== 'string') return [];
    const problems = qualifiedName(finalizer).map((problem) => invalid('metadata.finalizers', finalizer, problem));
    if (problems.length > 0 || finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return problems;
    return [invalid(`metadata.finalizers[${index}]`, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
  });
}

function validateMetaUpdate(metadata: JsonObject, old: JsonObject): FieldError[] {
  const fixed = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds']
    .filter((key) => has(old, key) && has(metadata, key) && !sameJson(old[key], metadata[key]))
    .map((key) => invalid(`metadata.${key}`, metadata[key] ?? null, 'field is immutable'));
  const added = listAt(metadata, 'finalizers').filter((finalizer) => !listAt(old, 'finalizers').includes(finalizer));
  if (!has(old, 'deletionTimestamp') || added.length === 0) return fixed;
  const names = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${names}}`;
  return [...fixed, forbidden('metadata.finalizers', detail)];
}
