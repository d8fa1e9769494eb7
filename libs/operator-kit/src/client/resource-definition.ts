import type { KubeObject } from './kube-object';

/**
 * Everything needed to address one kind at the API server, tied to its TypeScript type.
 *
 * Builtin kinds and classes decorated with `@CustomResource` both offer one; all rooms of the kit take it.
 */
export interface ResourceDefinition<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Never set: carries T for inference. */
  readonly __type?: T;
}

/** What may be written wherever a kind is meant: a definition, or a class that carries one (see `@CustomResource`). */
export type ResourceLike<T extends KubeObject = KubeObject> = ResourceDefinition<T> | { readonly definition: ResourceDefinition<T> };

export function definitionOf<T extends KubeObject>(resource: ResourceLike<T>): ResourceDefinition<T> {
  return 'definition' in resource ? resource.definition : resource;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf(definition: ResourceDefinition): string {
  return definition.group ? `${definition.group}/${definition.version}` : definition.version;
}

/** The inverse of apiVersionOf for the group: `apps` of `apps/v1`, empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** `deployments.apps`: the name of the kind in a message, a metric label or a CRD. */
export function groupResourceOf(definition: ResourceDefinition): string {
  return definition.group ? `${definition.plural}.${definition.group}` : definition.plural;
}
