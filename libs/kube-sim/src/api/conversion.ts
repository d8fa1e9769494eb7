import { type JsonObject, asObject } from '../store';
import { eventFromCore, eventToCore } from './event-conversion';
import { type ResourceType, groupVersion } from './resource-type';

/** The object as a served version shows it. Only events differ in more than their apiVersion between two versions. */
export function toServed(type: ResourceType, version: string, stored: JsonObject): JsonObject {
  const shape = type.group === 'events.k8s.io' ? eventFromCore(stored) : stored;
  return { ...shape, kind: type.kind, apiVersion: groupVersion(type.group, version) };
}

/** The object as it is stored, from the form a served version has. */
export function toStorage(type: ResourceType, served: JsonObject): JsonObject {
  if (type.group === 'events.k8s.io') return { ...eventToCore(served), kind: type.kind, apiVersion: 'v1' };
  return { ...served, kind: type.kind, apiVersion: groupVersion(type.group, type.storageVersion) };
}

export const metadataOf = (object: JsonObject): JsonObject => asObject(object.metadata);
