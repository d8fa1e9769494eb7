import { Deployment, Namespace } from '../client';
import type { ConfigMap, ObjectMeta } from '../client';
import { ownerReferenceTo, setControllerReference } from './owner-reference';
import { AlreadyControlledError, CrossNamespaceOwnerError, OwnerNotCreatedError } from './owner.errors';

const owner = { metadata: { namespace: 'shop', name: 'web', uid: 'uid-web' } };
const aConfigMap = (metadata: Partial<ObjectMeta> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'shop', name: 'settings', ...metadata },
});
const reference = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-web' };
const controllerReference = { ...reference, controller: true, blockOwnerDeletion: true };

describe('ownerReferenceTo', () => {
  it('points at the owner without controlling', () => {
    expect(ownerReferenceTo(owner, Deployment)).toEqual(reference);
  });

  it('refuses an owner that was not created yet', () => {
    expect(() => ownerReferenceTo({ metadata: { name: 'web' } }, Deployment)).toThrow(OwnerNotCreatedError);
  });
});

describe('ownerReferenceTo, told what is to be owned', () => {
  it('refuses an owner in another namespace', () => {
    expect(ownerReferenceTo(owner, Deployment, aConfigMap())).toEqual(reference);
    expect(() => ownerReferenceTo(owner, Deployment, aConfigMap({ namespace: 'depot' }))).toThrow(CrossNamespaceOwnerError);
  });
});

describe('setControllerReference', () => {
  it('makes the owner the controller, keeping other owners, in a copy', () => {
    const other = { ...reference, name: 'other', uid: 'uid-other' };
    const object = aConfigMap({ ownerReferences: [other] });

    const owned = setControllerReference(owner, Deployment, object);

    expect(owned.metadata.ownerReferences).toEqual([other, controllerReference]);
    expect(object.metadata.ownerReferences).toEqual([other]);
  });

  it('can be repeated', () => {
    const once = setControllerReference(owner, Deployment, aConfigMap());

    expect(setControllerReference(owner, Deployment, once)).toEqual(once);
  });

  it('takes over what the owner of that name had before it was made anew, in any version', () => {
    const before = { ...controllerReference, apiVersion: 'apps/v1beta1', uid: 'uid-before' };

    const owned = setControllerReference(owner, Deployment, aConfigMap({ ownerReferences: [before] }));

    expect(owned.metadata.ownerReferences).toEqual([controllerReference]);
  });

  it('does not take over from an owner of the same name in another group', () => {
    const controlled = aConfigMap({ ownerReferences: [{ ...controllerReference, apiVersion: 'shop.example/v1', uid: 'uid-other' }] });

    expect(() => setControllerReference(owner, Deployment, controlled)).toThrow(AlreadyControlledError);
  });

  it('A second controller owner and a cross-namespace owner are refused', () => {
    const controlled = aConfigMap({ ownerReferences: [{ ...controllerReference, name: 'other', uid: 'uid-other' }] });

    expect(() => setControllerReference(owner, Deployment, controlled)).toThrow(AlreadyControlledError);
    expect(() => setControllerReference(owner, Deployment, aConfigMap({ namespace: 'depot' }))).toThrow(CrossNamespaceOwnerError);
  });

  it('says what to do about it', () => {
    expect(() => setControllerReference(owner, Deployment, aConfigMap({ namespace: 'depot' }))).toThrow(
      'ConfigMap depot/settings cannot be owned by Deployment shop/web: an owner is cluster-scoped or in the namespace of what it owns; ' +
        'set metadata.namespace to shop, or track the object by a label and delete it in finalize()',
    );
  });

  it('refuses a namespaced owner of a cluster-scoped object', () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'depot' } };

    expect(() => setControllerReference(owner, Deployment, namespace)).toThrow(CrossNamespaceOwnerError);
  });

  it('lets a cluster-scoped owner own a namespaced object', () => {
    const owned = setControllerReference({ metadata: { name: 'depot', uid: 'uid-depot' } }, Namespace, aConfigMap());

    expect(owned.metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Namespace', name: 'depot', uid: 'uid-depot', controller: true, blockOwnerDeletion: true },
    ]);
  });
});
