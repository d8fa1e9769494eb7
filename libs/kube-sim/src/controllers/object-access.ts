import { type ObjectDeleter, type ObjectWriter, type ResourceRegistry, type Subresource, type Target, versionOf } from '../api';
import { type JsonObject, type ObjectStore, type StoredObject, asObject } from '../store';

/** The name a component's writes carry in managedFields. */
export type FieldManager = 'kube-controller-manager' | 'kubelet';

export interface ObjectAccessParts {
  readonly store: ObjectStore;
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  readonly deleter: ObjectDeleter;
}

/**
 * Reads and writes objects as a client of the API does, without the wire between.
 *
 * Guarantees that every write goes through the rules that clients' writes go through: versions, generations, defaults,
 * validation, managed fields and watches. What the API refuses is thrown as an ApiError.
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

  replaceStatus(storageId: string, current: StoredObject, status: JsonObject, metadata = current.metadata): StoredObject {
    const target = this.target(storageId, current.namespace, current.name, 'status');
    return this.parts.writer.replace(target, current, { ...current.object, metadata, status }, this.options()).object;
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
