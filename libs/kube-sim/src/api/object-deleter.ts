import { type JsonObject, type ObjectStore, StoredObject, asArray, asObject, asString, sameJson } from '../store';
import { conflict, forbidden, notFound } from './api.errors';
import { type Target } from './api-request';
import { CRD_CLEANUP_FINALIZER, CRD_STORAGE } from './crd-types';
import { type DeleteOptions } from './delete-options';
import { type SimClock, isoSeconds } from '../sim-clock';

export interface Deleted {
  readonly object: StoredObject;
  readonly outcome: 'gone' | 'pending';
}

const PROTECTED_NAMESPACES = new Set(['default', 'kube-system', 'kube-public']);
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/**
 * Deletes objects the way the API does: at once, or by a deletion time while finalizers or a grace period hold them.
 *
 * Dependents are not its business; the collector hears of the deletion from the store.
 */
export class ObjectDeleter {
  constructor(
    private readonly store: ObjectStore,
    private readonly clock: SimClock,
  ) {}

  delete(target: Target, options: DeleteOptions): Deleted {
    const { type, namespace, name } = target;
    const current = this.store.get(type.storageId, namespace, name);
    if (!current) throw notFound(type, name);
    if (isNamespace(current) && PROTECTED_NAMESPACES.has(name)) throw forbidden(type, name, 'this namespace may not be deleted');
    this.checkPreconditions(target, current, options);

    const graceSeconds = this.graceSeconds(current, options);
    const finalizers = this.finalizers(target, current, options);
    const isHeld = finalizers.length > 0 || graceSeconds > 0 || isNamespaceWithContents(current);
    if (!isHeld) {
      const last = options.dryRun ? current : (this.store.remove(type.storageId, namespace, name) ?? current);
      return { object: type.kind === 'Pod' && !type.custom ? this.endedPod(last) : last, outcome: 'gone' };
    }
    const object = this.marked(current, finalizers, graceSeconds);
    if (options.dryRun || !object) return { object: current, outcome: 'pending' };
    return { object: this.store.put(type.storageId, object), outcome: 'pending' };
  }

  /** The object with its deletion time, or undefined when it already is as the request wants it. */
  private marked(current: StoredObject, finalizers: string[], graceSeconds: number): JsonObject | undefined {
    const metadata = current.metadata;
    const isMarked = metadata.deletionTimestamp !== undefined;
    const isShorter = isMarked && graceSeconds < Number(metadata.deletionGracePeriodSeconds ?? 0);
    const sameFinalizers = sameJson(asArray(metadata.finalizers), finalizers);
    if (isMarked && !isShorter && sameFinalizers) return undefined;

    const next: JsonObject = { ...metadata };
    if (finalizers.length === 0) delete next.finalizers;
    else next.finalizers = finalizers;
    if (!isMarked || isShorter) {
      next.deletionTimestamp = isoSeconds(this.clock.nowMs() + graceSeconds * 1000);
      // Namespaces and definitions are emptied, not stopped: they have no grace period at all.
      if (!isNamespace(current) && !isDefinition(current)) next.deletionGracePeriodSeconds = graceSeconds;
    }
    if (!isMarked && typeof metadata.generation === 'number' && !isDefinition(current)) next.generation = metadata.generation + 1;
    const object: JsonObject = { ...current.object, metadata: next };
    if (isNamespace(current)) return { ...object, status: { ...asObject(object.status), phase: 'Terminating' } };
    return isDefinition(current) && !isMarked ? this.terminating(object) : object;
  }

  private terminating(definition: JsonObject): JsonObject {
    const status = asObject(definition.status);
    const condition = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: isoSeconds(this.clock.nowMs()),
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    };
    return { ...definition, status: { ...status, conditions: [...asArray(status.conditions), condition] } };
  }

  /** A pod's last answer says when it ended, although that was never stored. */
  private endedPod(pod: StoredObject): StoredObject {
    const isMarked = pod.metadata.deletionTimestamp !== undefined;
    const generation = Number(pod.metadata.generation ?? 0) + (isMarked ? 0 : 1);
    const metadata = { ...pod.metadata, generation, deletionTimestamp: isoSeconds(this.clock.nowMs()), deletionGracePeriodSeconds: 0 };
    return new StoredObject({ ...pod.object, metadata }, pod.resourceVersion);
  }

  private finalizers({ type }: Target, current: StoredObject, options: DeleteOptions): string[] {
    const present = asArray(current.metadata.finalizers).map(String);
    if (type.storageId === CRD_STORAGE && current.metadata.deletionTimestamp === undefined)
      return withFinalizer(present, CRD_CLEANUP_FINALIZER);
    const policy = options.propagationPolicy;
    if (policy === undefined) {
      if (type.defaultPropagation === 'Orphan' && !present.includes(FOREGROUND)) return withFinalizer(present, ORPHAN);
      return present;
    }
    const others = present.filter((finalizer) => finalizer !== FOREGROUND && finalizer !== ORPHAN);
    if (policy === 'Foreground') return withFinalizer(others, FOREGROUND);
    return policy === 'Orphan' ? withFinalizer(others, ORPHAN) : others;
  }

  /** Only a pod that a node runs is given time; the node ends it by a second delete without grace. */
  private graceSeconds(current: StoredObject, options: DeleteOptions): number {
    const { object } = current;
    if (object.kind !== 'Pod' || object.apiVersion !== 'v1') return 0;
    const spec = asObject(object.spec);
    const phase = asString(asObject(object.status).phase);
    if (asString(spec.nodeName) === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
    const pending = current.metadata.deletionGracePeriodSeconds;
    const asked = options.gracePeriodSeconds ?? (typeof pending === 'number' ? pending : Number(spec.terminationGracePeriodSeconds ?? 30));
    return Math.max(0, typeof pending === 'number' ? Math.min(pending, asked) : asked);
  }

  private checkPreconditions(
    { type: { group, kind }, name }: Target,
    current: StoredObject,
    { uid, resourceVersion }: DeleteOptions,
  ): void {
    if (uid !== undefined && uid !== current.uid) {
      throw conflict(
        { group, plural: kind },
        name,
        `the UID in the precondition (${uid}) does not match the UID in record (${current.uid}). The object might have been deleted and then recreated`,
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== String(current.resourceVersion)) {
      throw conflict(
        { group, plural: kind },
        name,
        `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current.resourceVersion}). The object might have been modified`,
      );
    }
  }
}

const withFinalizer = (finalizers: string[], added: string): string[] => (finalizers.includes(added) ? finalizers : [...finalizers, added]);

const isNamespace = ({ object }: StoredObject): boolean => object.kind === 'Namespace' && object.apiVersion === 'v1';

const isDefinition = ({ object }: StoredObject): boolean => object.kind === 'CustomResourceDefinition';

const isNamespaceWithContents = (stored: StoredObject): boolean =>
  isNamespace(stored) && asArray(asObject(stored.object.spec).finalizers).length > 0;
