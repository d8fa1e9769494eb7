import { builtinTypes, kindKey } from '../schema';
import type { JsonObject } from '../schema';

/** A kind that the server answers for, as the documents must describe it. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The openAPIV3Schema of a custom resource; absent for built-in kinds. */
  readonly schema?: JsonObject;
}

export function groupVersionOf({ group, version }: ServedKind): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `api/v1`, `apis/apps/v1`: where the group and version is served, and how the index calls it. */
export function rootPathOf(kind: ServedKind): string {
  return `${kind.group === '' ? 'api' : 'apis'}/${groupVersionOf(kind)}`;
}

/** `io.k8s.api.apps.v1.Deployment`, `com.example.v1.WebApp` */
export function schemaNameOf({ group, version, kind }: ServedKind): string {
  return builtinTypes.kinds.get(kindKey(group, version, kind)) ?? `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

export function gvkOf({ group, version, kind }: ServedKind): JsonObject {
  return { group, version, kind };
}
