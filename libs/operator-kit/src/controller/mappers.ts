import type { Frozen, Lister } from '../cache';
import { definitionOf, groupOf } from '../client';
import type { KubeObject, ObjectRef, ResourceLike } from '../client';

/** The cache of a kind that a controller is for, owns or watches. */
export type CacheLookup = <T extends KubeObject>(resource: ResourceLike<T>) => Lister<T>;

/**
 * Which objects to reconcile because this one changed. Called with the old and the new state of an update, and what either
 * names is reconciled. It must be quick and change nothing.
 */
export type Mapper<T extends KubeObject> = (object: Frozen<T>, cache: CacheLookup) => readonly ObjectRef[];

/** `controller`: only the owner that controls the object; `any`: all of them. */
export type OwnerMatch = 'controller' | 'any';

/** From an object to its owners of one kind, whatever version of it the reference names. */
export function ownerMapper(ownerResource: ResourceLike, match: OwnerMatch): Mapper<KubeObject> {
  const { group, kind, namespaced } = definitionOf(ownerResource);
  return ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter((owner) => owner.kind === kind && groupOf(owner.apiVersion) === group && (match === 'any' || owner.controller === true))
      .map(({ name }) => (namespaced && metadata.namespace ? { namespace: metadata.namespace, name } : { name }));
}
