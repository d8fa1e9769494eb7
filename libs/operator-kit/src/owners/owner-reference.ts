import { apiVersionOf, definitionOf, formatRef, groupOf } from '../client';
import type { KubeObject, ObjectMeta, OwnerReference, ResourceLike } from '../client';
import { AlreadyControlledError, CrossNamespaceOwnerError, OwnerNotCreatedError } from './owner.errors';

/** An object as the API server returned it; a cached one will do. */
export interface Owner {
  readonly metadata: Readonly<Pick<ObjectMeta, 'namespace' | 'name' | 'uid'>>;
}

/**
 * A reference that lets the garbage collector delete the holder after the owner. It does not make the owner the controller.
 * @throws CrossNamespaceOwnerError when `holder`, which need not be given, is not in the owner's namespace
 */
export function ownerReferenceTo(owner: Owner, resource: ResourceLike, holder?: KubeObject): OwnerReference {
  const definition = definitionOf(resource);
  const { namespace, name, uid } = owner.metadata;
  const wanted = describe(definition.kind, owner.metadata);
  if (!name || !uid) throw new OwnerNotCreatedError(wanted);
  if (holder && namespace && holder.metadata.namespace !== namespace) {
    throw new CrossNamespaceOwnerError(describe(holder.kind, holder.metadata), wanted, namespace);
  }
  return { apiVersion: apiVersionOf(definition), kind: definition.kind, name, uid };
}

/**
 * A copy of the object that the owner controls: `owns()` finds its way back from it, and it is deleted after its owner.
 *
 * Other owners stay. Safe to repeat. A reference to a former owner of the same group, kind and name gives way: the owner was deleted and made anew.
 * @throws AlreadyControlledError for a second controller
 * @throws CrossNamespaceOwnerError for a namespaced owner in another namespace
 */
export function setControllerReference<T extends KubeObject>(owner: Owner, resource: ResourceLike, object: T): T {
  const reference = { ...ownerReferenceTo(owner, resource, object), controller: true, blockOwnerDeletion: true };
  const others = (object.metadata.ownerReferences ?? []).filter((other) => !isSameOwner(other, reference));
  const controller = others.find((other) => other.controller);
  if (controller) {
    const owned = describe(object.kind, object.metadata);
    throw new AlreadyControlledError(owned, `${controller.kind} ${controller.name}`, describe(reference.kind, owner.metadata));
  }

  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}

/** Also when the uid differs: a new owner under the old name. */
function isSameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return a.uid === b.uid || (a.name === b.name && a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion));
}

function describe(kind: string, { namespace, name }: Owner['metadata']): string {
  return `${kind} ${formatRef({ namespace, name: name ?? '(no name)' })}`;
}
