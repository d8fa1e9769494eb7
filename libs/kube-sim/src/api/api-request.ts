import { type ResourceType, type VersionBehaviour } from './resource-type';

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
}
