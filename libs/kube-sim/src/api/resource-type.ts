import { type CrdSchema } from '../schema';
import { type JsonObject } from '../store';

/** Where a custom resource keeps what its scale subresource shows. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** What a served version adds to its resource: its schema and what depends on it. */
export interface VersionBehaviour {
  readonly name: string;
  readonly hasStatus: boolean;
  readonly scale?: ScalePaths;
  readonly printerColumns?: readonly JsonObject[];
  readonly schema?: CrdSchema;
  /** The schema as its definition has it. */
  readonly openApiSchema?: JsonObject;
  readonly deprecationWarning?: string;
  readonly selectableFields?: readonly string[];
}

/** One resource: a collection in the store and the way it behaves over the API. */
export interface ResourceType {
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** Names the collection; two resources with the same one share their objects. */
  readonly storageId: string;
  readonly storageVersion: string;
  readonly versions: readonly VersionBehaviour[];
  readonly custom: boolean;
  readonly verbs: readonly string[];
  readonly hasGeneration: boolean;
  /** What moves the generation: everything but metadata and status, or any change at all. */
  readonly generationFollows: 'spec' | 'everything';
  readonly fieldSelectors: readonly string[];
  readonly updateWithoutVersion: 'allowed' | 'refused';
  readonly updateOfMissing: 'creates' | 'not-found';
  /** What a plain delete answers with once the object is gone. */
  readonly deleteAnswer: 'status' | 'object';
  readonly defaultPropagation: 'Background' | 'Orphan';
  /** Metadata that a write to the status subresource may change. */
  readonly statusMetadata: 'writable' | 'without-labels' | 'kept';
}

export const groupVersion = (group: string, version: string): string => (group === '' ? version : `${group}/${version}`);

export function versionOf(type: ResourceType, name: string): VersionBehaviour | undefined {
  return type.versions.find((version) => version.name === name);
}
