import {
  type FieldTracker,
  type ObjectDeleter,
  type ObjectWriter,
  type ResourceRegistry,
  type Subresource,
  type Target,
  putOrFinish,
  versionOf,
} from '../api';
import { type JsonObject, type ObjectStore, type StoredObject, asObject, without } from '../store';

/** The name a component's writes carry in managedFields. */
export type FieldManager = 'kube-controller-manager' | 'kubelet';

export interface ObjectAccessParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
  readonly tracker: FieldTracker;
}

/**
 * Reads and writes objects as a client of the API does, without the wire between.
 *
 * Guarantees that what is created or changed goes through the rules that clients' writes go through, and that every write
 * has its version, its manager and its place in watches. What the API refuses is thrown as an ApiError.
 */
export class ObjectAccess {
  private readonly targets = new Map<string, Omit<Target, 'namespace' | 'name' | 'subresource'>>();

  constructor(
    private readonly parts: ObjectAccessParts,
    private readonly fieldManager: FieldManager,
  ) {}

  get store(): ObjectStore {
    return this.parts.store;
  }

  get(storageId: string, key: string): StoredObject | undefined {
    return this.store.collection(storageId).get(key);
  }

  create(storageId: string, namespace: string, body: JsonObject): StoredObject {
    return this.parts.writer.create(this.target(storageId, namespace, '', ''), body, this.options()).object;
  }

  /** Creates an object and then says its status, as a create alone leaves that out. */
  createWithStatus(storageId: string, namespace: string, body: JsonObject): StoredObject {
    return this.replaceStatus(storageId, this.create(storageId, namespace, body), asObject(body.status));
  }

  /** Writes over what was just read. */
  replace(storageId: string, current: StoredObject, body: JsonObject): StoredObject {
    return this.parts.writer.replace(this.target(storageId, current.namespace, current.name, ''), current, body, this.options()).object;
  }

  /**
   * Writes a status over what was just read; annotations may come with it. What controllers say needs no decoding and
   * no checks, which are most of the cost of a write, so it must be as the API would store it: without zeros and nulls.
   */
  replaceStatus(storageId: string, current: StoredObject, status: JsonObject, metadata = current.metadata): StoredObject {
    const target = this.target(storageId, current.namespace, current.name, 'status');
    const next = { ...current.object, metadata, status };
    // The rest of the object is the same before and after: there is nothing in it to compare.
    const tracked = this.parts.tracker.afterUpdate(target, withoutSpec(current.object), withoutSpec(next), this.options());
    return putOrFinish(this.store, storageId, { ...next, metadata: asObject(tracked.metadata) });
  }

  delete(storageId: string, { namespace, name, uid }: StoredObject, gracePeriodSeconds?: number): void {
    this.parts.deleter.delete(this.target(storageId, namespace, name, ''), { uid, gracePeriodSeconds, dryRun: false });
  }

  private target(storageId: string, namespace: string, name: string, subresource: Subresource): Target {
    let known = this.targets.get(storageId);
    if (!known) {
      const type = this.parts.registry.byStorage(storageId);
      const version = type && versionOf(type, type.storageVersion);
      if (!version) throw new Error(`no resource is served from ${storageId}`);
      known = { type, version };
      this.targets.set(storageId, known);
    }
    return { ...known, namespace, name, subresource };
  }

  private options() {
    return { dryRun: false, fieldManager: this.fieldManager, fieldValidation: 'Ignore', force: false } as const;
  }
}

const withoutSpec = (object: JsonObject): JsonObject => without(object, 'spec');
