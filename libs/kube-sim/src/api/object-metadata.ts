import { randomInt, randomUUID } from 'node:crypto';
import { type JsonObject, type JsonValue, asArray, asObject, asString, sameJson, without } from '../store';
import { badRequest } from './api.errors';
import { type ResourceType } from './resource-type';

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const LONGEST_GENERATED_PREFIX = 63 - SUFFIX_LENGTH;

/** Fields of metadata that only the server sets. */
const SERVER_FIELDS = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
  'selfLink',
];

const KEPT_FIELDS = [...SERVER_FIELDS, 'namespace', 'name'];

/** The metadata of an object that is being created: named, identified and dated by the server. */
export function metadataForCreate(type: ResourceType, given: JsonObject, namespace: string, nowIso: string): JsonObject {
  const prefix = asString(given.generateName);
  return withoutEmpty({
    ...without(given, ...SERVER_FIELDS, 'namespace'),
    ...(asString(given.name) === '' && prefix !== '' ? { name: generatedName(prefix) } : {}),
    ...(type.namespaced ? { namespace } : {}),
    uid: randomUUID(),
    creationTimestamp: nowIso,
    ...(type.hasGeneration ? { generation: 1 } : {}),
  });
}

/** The metadata of an object that is being replaced: what only the server sets stays as it was. */
export function metadataForUpdate(given: JsonObject, old: JsonObject): JsonObject {
  const kept = Object.fromEntries(Object.entries(old).filter(([field]) => KEPT_FIELDS.includes(field)));
  const generateName = given.generateName ?? old.generateName;
  return withoutEmpty({ ...without(given, ...KEPT_FIELDS), ...kept, ...(generateName === undefined ? {} : { generateName }) });
}

/** @throws ApiError 400 when a body is about another object than its path. */
export function checkName(urlName: string, given: JsonObject): void {
  const name = asString(given.name);
  if (name === '') throw badRequest(`the name of the object (${urlName} based on URL) was undeterminable: name must be provided`);
  if (name !== urlName) throw badRequest(`the name of the object (${name}) does not match the name on the URL (${urlName})`);
}

function withoutEmpty(metadata: JsonObject): JsonObject {
  const empty = ['labels', 'annotations', 'finalizers', 'ownerReferences'].filter((field) => {
    const value = metadata[field];
    return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  });
  return empty.length === 0 ? metadata : without(metadata, ...empty);
}

export function generatedName(prefix: string): string {
  let suffix = '';
  for (let index = 0; index < SUFFIX_LENGTH; index++) suffix += SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)] ?? '';
  return prefix.slice(0, LONGEST_GENERATED_PREFIX) + suffix;
}

/** True when more than metadata and status changed, which is what moves the generation. */
export function changesDesiredState(old: JsonObject, next: JsonObject, statusIsApart: boolean): boolean {
  const ignored = new Set(statusIsApart ? ['metadata', 'status', 'apiVersion', 'kind'] : ['metadata', 'apiVersion', 'kind']);
  const fields = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...fields].some((field) => !ignored.has(field) && !sameJson(old[field], next[field]));
}

/** Two states that differ in nothing but when a field manager last wrote count as the same. */
export function sameObject(left: JsonObject, right: JsonObject): boolean {
  return sameJson(comparable(left), comparable(right));
}

function comparable(object: JsonObject): JsonValue {
  const metadata = asObject(object.metadata);
  const managedFields = asArray(metadata.managedFields).map((entry) => without(asObject(entry), 'time'));
  return { ...object, metadata: { ...without(metadata, 'resourceVersion'), managedFields } };
}
