import { randomInt, randomUUID } from 'node:crypto';
import { type JsonObject, type JsonValue, asArray, asObject, asString, sameJson } from '../store';
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

/** The metadata of an object that is being created: named, identified and dated by the server. */
export function metadataForCreate(type: ResourceType, given: JsonObject, namespace: string, nowIso: string): JsonObject {
  const metadata: JsonObject = { ...given };
  for (const field of SERVER_FIELDS) delete metadata[field];
  if (asString(metadata.name) === '' && asString(metadata.generateName) !== '')
    metadata.name = generatedName(asString(metadata.generateName));
  if (type.namespaced) metadata.namespace = namespace;
  else delete metadata.namespace;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = nowIso;
  if (type.hasGeneration) metadata.generation = 1;
  return withoutEmpty(metadata);
}

/** The metadata of an object that is being replaced: what only the server sets stays as it was. */
export function metadataForUpdate(given: JsonObject, old: JsonObject): JsonObject {
  const metadata: JsonObject = { ...given };
  for (const field of [...SERVER_FIELDS, 'namespace', 'name']) {
    const value = old[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
  if (old.generateName !== undefined && metadata.generateName === undefined) metadata.generateName = old.generateName;
  return withoutEmpty(metadata);
}

function withoutEmpty(metadata: JsonObject): JsonObject {
  for (const field of ['labels', 'annotations', 'finalizers', 'ownerReferences']) {
    const value = metadata[field];
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) delete metadata[field];
  }
  return metadata;
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
  const { managedFields, resourceVersion: _version, ...metadata } = asObject(object.metadata);
  const managers = asArray(managedFields).map((entry) => {
    const { time: _time, ...rest } = asObject(entry);
    return rest;
  });
  return { ...object, metadata: { ...metadata, managedFields: managers } };
}
