import { type JsonObject, type ObjectStore, StoredObject, asString, resourceVersionOf, without } from '../store';
import { type Admission } from './admission';
import { ApiError, MODIFIED, alreadyExists, badRequest, conflict, invalid, notFound } from './api.errors';
import { type Target, type WriteOptions } from './api-request';
import { metadataOf, toServed, toStorage } from './conversion';
import { type FieldTracker } from './field-tracker';
import { changesDesiredState, checkName, metadataForCreate, metadataForUpdate, sameObject } from './object-metadata';
import { putOrFinish } from './put-or-finish';
import type { ResourceType, VersionBehaviour } from './resource-type';
import { type SimClock, isoSeconds } from '../sim-clock';

export interface Written {
  readonly object: StoredObject;
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly warnings: readonly string[];
}

/** Who set the fields: an apply brings its managers along, any other write is tracked afterwards. */
type Writer = 'update' | 'apply';

const NAME_ATTEMPTS = 8;

/**
 * Creates and replaces objects under the API's rules: identity, versions, generation, subresources and admission.
 *
 * Guarantees that a write is all or nothing and happens within one turn of the event loop, so nothing can come between
 * the check of a version and the write. Assumes that the caller may do what it asks.
 */
export class ObjectWriter {
  constructor(
    private readonly store: ObjectStore,
    private readonly admission: Admission,
    private readonly tracker: FieldTracker,
    private readonly clock: SimClock,
  ) {}

  create(target: Target, body: JsonObject, options: WriteOptions, writer: Writer = 'update'): Written {
    const given = metadataOf(body);
    this.checkNamespace(target, given);
    if (asString(given.resourceVersion) !== '') throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
    for (let attempt = 1; ; attempt++) {
      const metadata = metadataForCreate(target.type, given, target.namespace, isoSeconds(this.clock.nowMs()));
      const taken = this.store.get(target.type.storageId, target.namespace, asString(metadata.name));
      if (!taken) return this.insert(target, { ...body, metadata }, options, writer);
      if (asString(given.name) !== '' || attempt >= NAME_ATTEMPTS)
        throw alreadyExists(target.type, taken.name, taken.metadata.deletionTimestamp !== undefined);
    }
  }

  /** Replaces an object, or its status. `body` is in the served version. */
  update(target: Target, body: JsonObject, options: WriteOptions): Written {
    const { type, name } = target;
    const given = metadataOf(body);
    checkName(name, given);
    this.checkNamespace(target, given);
    const current = this.store.get(type.storageId, target.namespace, name);
    if (!current) {
      if (type.updateOfMissing === 'creates' && target.subresource === '' && asString(given.uid) === '') {
        const metadata = without(given, 'resourceVersion');
        return this.create(target, { ...body, metadata: { ...metadata, name } }, options);
      }
      throw notFound(type, name);
    }
    if (resourceVersionOf(body) === '' && type.updateWithoutVersion === 'refused') {
      throw invalid(type.group, type.plural, name, [
        { field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', message: 'Invalid value: 0: must be specified for an update' },
      ]);
    }
    return this.replace(target, current, body, options);
  }

  /** Writes a new state over one that was just read. The body's resourceVersion and uid, where given, are preconditions. */
  replace(target: Target, current: StoredObject, body: JsonObject, options: WriteOptions, writer: Writer = 'update'): Written {
    const { type, version } = target;
    const old = toServed(type, version.name, current.object);
    checkName(target.name, metadataOf(body));
    this.checkNamespace(target, metadataOf(body));
    this.checkPreconditions(target, current, metadataOf(body));

    const decoded = this.admission.decode(target, body, options, old);
    const confined = this.confine(target, old, decoded.object);
    const next = this.admission.complete(target, { ...confined, metadata: metadataForUpdate(metadataOf(confined), metadataOf(old)) }, old);
    const problems = this.admission.problems(target, next, old);
    if (problems.length > 0) throw invalid(type.group, type.kind, target.name, problems);

    const withGeneration = this.bumpGeneration(target, old, next);
    const tracked = writer === 'apply' ? withGeneration : this.tracker.afterUpdate(target, old, withGeneration, options);
    if (sameObject(old, tracked)) return { object: current, outcome: 'unchanged', warnings: decoded.warnings };
    return { object: this.commit(target, tracked, options), outcome: 'changed', warnings: decoded.warnings };
  }

  private insert(target: Target, body: JsonObject, options: WriteOptions, writer: Writer): Written {
    const { type } = target;
    const name = asString(metadataOf(body).name);
    const decoded = this.admission.decode(target, body, options);
    const object = this.admission.complete(target, decoded.object);
    const problems = this.admission.problems(target, object);
    if (problems.length > 0) throw invalid(type.group, type.kind, name, problems);
    const tracked = writer === 'apply' ? object : this.tracker.afterCreate(target, object, options);
    return { object: this.commit(target, tracked, options), outcome: 'created', warnings: decoded.warnings };
  }

  private commit(target: Target, served: JsonObject, options: WriteOptions): StoredObject {
    const object = toStorage(target.type, served);
    if (options.dryRun) return new StoredObject(object, Number(resourceVersionOf(object)));
    return putOrFinish(this.store, target.type.storageId, object);
  }

  /** Keeps a write to its side: status writes change the status, others everything else. */
  private confine(target: Target, old: JsonObject, body: JsonObject): JsonObject {
    if (target.subresource === 'status') {
      return setOrOmit({ ...old, metadata: statusMetadata(target, metadataOf(old), metadataOf(body)) }, 'status', body.status);
    }
    return target.version.hasStatus ? setOrOmit(body, 'status', old.status) : body;
  }

  private bumpGeneration({ type, version, subresource }: Target, old: JsonObject, next: JsonObject): JsonObject {
    if (!type.hasGeneration || subresource === 'status' || !this.movesGeneration(type, version, old, next)) return next;
    const metadata = metadataOf(next);
    return { ...next, metadata: { ...metadata, generation: Number(metadata.generation ?? 0) + 1 } };
  }

  private movesGeneration(type: ResourceType, version: VersionBehaviour, old: JsonObject, next: JsonObject): boolean {
    return type.generationFollows === 'everything' ? !sameObject(old, next) : changesDesiredState(old, next, version.hasStatus);
  }

  private checkNamespace(target: Target, given: JsonObject): void {
    const namespace = asString(given.namespace);
    if (target.type.namespaced && namespace !== '' && namespace !== target.namespace) {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
  }

  private checkPreconditions({ type, name }: Target, current: StoredObject, given: JsonObject): void {
    const uid = asString(given.uid);
    if (uid !== '' && uid !== current.uid) {
      throw conflict(
        type,
        name,
        `StorageError: invalid object, Code: 4, Key: /registry/${type.custom ? `${type.group}/` : ''}${type.plural}/${current.key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.uid}`,
      );
    }
    const version = asString(given.resourceVersion);
    if (version !== '' && version !== '0' && version !== String(current.resourceVersion)) throw conflict(type, name, MODIFIED);
  }
}

/** What a write to the status may say of the metadata, which differs between kinds; who manages which field always belongs to it. */
function statusMetadata({ type }: Target, old: JsonObject, given: JsonObject): JsonObject {
  if (type.statusMetadata === 'kept') return setOrOmit(old, 'managedFields', given.managedFields);
  const kept = type.statusMetadata === 'writable' ? ['ownerReferences'] : ['ownerReferences', 'labels'];
  return kept.reduce((metadata, field) => setOrOmit(metadata, field, old[field]), given);
}

function setOrOmit(object: JsonObject, field: string, value: JsonObject[string] | undefined): JsonObject {
  return value === undefined ? without(object, field) : { ...object, [field]: value };
}
