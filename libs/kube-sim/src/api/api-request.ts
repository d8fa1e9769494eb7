import { type StoredObject } from '../store';
import { type ResourceRegistry } from './resource-registry';
import { type ResourceType, type VersionBehaviour, versionOf } from './resource-type';

export type Subresource = '' | 'status' | 'scale';

/** A resource request after routing: which resource, which version of it, which object. */
export interface Target {
  readonly type: ResourceType;
  readonly version: VersionBehaviour;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: Subresource;
}

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
  /** Fields that the body sets more than once. */
  readonly duplicateFields?: readonly string[];
}

/** Where an object that is already stored would be reached over the API. */
export function targetOfStored(registry: ResourceRegistry, storageId: string, stored: StoredObject): Target | undefined {
  const type = registry.byStorage(storageId);
  const version = type && (versionOf(type, type.storageVersion) ?? type.versions[0]);
  return version && { type, version, namespace: stored.namespace, name: stored.name, subresource: '' };
}
