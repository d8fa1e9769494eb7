import { apiVersionOf, definitionOf, formatRef } from '../client';
import type { KubeObject, ObjectMeta, OwnerReference, ResourceLike } from '../client';
import { AlreadyControlledError, CrossNamespaceOwnerError, OwnerNotCreatedError } from './owner.errors';

/** An object as the API server returned it; a cached one will do. */
export interface Owner {
  readonly metadata: Readonly<Pick<ObjectMeta, 'namespace' | 'name' | 'uid'>>;
}

/** A reference that lets the garbage collector delete the holder after the owner. It does not make the owner the controller. */
export function ownerReferenceTo(owner: Owner, resource: ResourceLike): OwnerReference {
  const definition = definitionOf(resource);
  const { name, uid } = owner.metadata;
  if (!name || !uid) throw new OwnerNotCreatedError(describe(definition.kind, owner.metadata));
  return { apiVersion: apiVersionOf(definition), kind: definition.kind, name, uid };
}

/**
 * A copy of the object that the owner controls: `owns()` finds its way back from it, and it is deleted after its owner.
 *
 * Other owners stay. Safe to repeat.
 * @throws AlreadyControlledError for a second controller
 * @throws CrossNamespaceOwnerError for a namespaced owner in another namespace
 */
export function setControllerReference<T extends KubeObject>(owner: Owner, resource: ResourceLike, object: T): T {
  const reference = { ...ownerReferenceTo(owner, resource), controller: true, blockOwnerDeletion: true };
  const wanted = describe(reference.kind, owner.metadata);
  const owned = describe(object.kind, object.metadata);

  const { namespace } = owner.metadata;
  if (namespace && object.metadata.namespace !== namespace) throw new CrossNamespaceOwnerError(owned, wanted, namespace);

  const others = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid);
  const controller = others.find((other) => other.controller);
  if (controller) throw new AlreadyControlledError(owned, `${controller.kind} ${controller.name}`, wanted);

  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}

function describe(kind: string, { namespace, name }: Owner['metadata']): string {
  return `${kind} ${formatRef({ namespace, name: name ?? '(no name)' })}`;
}
