import { type JsonObject, type ObjectStore, StoredObject, asObject, asString, resourceVersionOf } from '../store';
import { type Admission } from './admission';
import { MODIFIED, alreadyExists, badRequest, conflict, invalid, notFound } from './api.errors';
import { type Target, type WriteOptions } from './api-request';
import { metadataOf, toServed, toStorage } from './conversion';
import { type FieldTracker } from './field-tracker';
import { changesDesiredState, deletionProblems, metadataForCreate, metadataForUpdate, sameObject } from './object-metadata';
import { putOrFinish } from './put-or-finish';
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
    if (asString(given.resourceVersion) !== '') throw new Error('resourceVersion should not be set on objects to be created');
    for (let attempt = 1; ; attempt++) {
      const metadata = metadataForCreate(target.type, given, target.namespace, isoSeconds(this.clock.nowMs()));
      const isTaken = this.store.get(target.type.storageId, target.namespace, asString(metadata.name)) !== undefined;
      if (!isTaken) return this.insert(target, { ...body, metadata }, options, writer);
      if (asString(given.name) !== '' || attempt >= NAME_ATTEMPTS) throw alreadyExists(target.type, asString(metadata.name));
    }
  }

  /** Replaces an object, or its status. `body` is in the served version. */
  update(target: Target, body: JsonObject, options: WriteOptions): Written {
    const { type, name } = target;
    const given = metadataOf(body);
    const bodyName = asString(given.name);
    if (bodyName !== '' && bodyName !== name)
      throw badRequest(`the name of the object (${bodyName}) does not match the name on the URL (${name})`);
    this.checkNamespace(target, given);
    const current = this.store.get(type.storageId, target.namespace, name);
    if (!current) {
      if (type.updateOfMissing === 'creates' && target.subresource === '' && asString(given.uid) === '') {
        const { resourceVersion: _version, ...metadata } = given;
        return this.create(target, { ...body, metadata: { ...metadata, name } }, options);
      }
      throw notFound(type, name);
    }
    if (resourceVersionOf(body) === '' && type.updateWithoutVersion === 'refused') {
      throw invalid(type.group, type.kind, name, [
        { field: 'metadata.resourceVersion', reason: 'FieldValueInvalid', message: 'Invalid value: 0: must be specified for an update' },
      ]);
    }
    return this.replace(target, current, body, options);
  }

  /** Writes a new state over one that was just read. The body's resourceVersion and uid, where given, are preconditions. */
  replace(target: Target, current: StoredObject, body: JsonObject, options: WriteOptions, writer: Writer = 'update'): Written {
    const { type, version } = target;
    const old = toServed(type, version.name, current.object);
    this.checkPreconditions(target, current, metadataOf(body));

    const merged = this.confine(target, old, body);
    const admitted = this.admission.admit(
      target,
      { ...merged, metadata: metadataForUpdate(metadataOf(merged), metadataOf(old)) },
      options,
      old,
    );
    const next = admitted.object;
    const problems = [...deletionProblems(metadataOf(old), metadataOf(next)), ...this.admission.problems(target, next, old)];
    if (problems.length > 0) throw invalid(type.group, type.kind, target.name, problems);

    const withGeneration = this.bumpGeneration(target, old, next);
    const tracked = writer === 'apply' ? withGeneration : this.tracker.afterUpdate(target, old, withGeneration, options);
    if (sameObject(old, tracked)) return { object: current, outcome: 'unchanged', warnings: admitted.warnings };
    return { object: this.commit(target, tracked, options), outcome: 'changed', warnings: admitted.warnings };
  }

  private insert(target: Target, body: JsonObject, options: WriteOptions, writer: Writer): Written {
    const { type } = target;
    const name = asString(metadataOf(body).name);
    const withoutStatus = target.version.hasStatus && type.custom ? omit(body, 'status') : body;
    const admitted = this.admission.admit(target, withoutStatus, options);
    const problems = this.admission.problems(target, admitted.object);
    if (problems.length > 0) throw invalid(type.group, type.kind, name, problems);
    const tracked = writer === 'apply' ? admitted.object : this.tracker.afterCreate(target, admitted.object, options);
    return { object: this.commit(target, tracked, options), outcome: 'created', warnings: admitted.warnings };
  }

  private commit(target: Target, served: JsonObject, options: WriteOptions): StoredObject {
    const object = toStorage(target.type, served);
    if (options.dryRun) return new StoredObject(object, Number(resourceVersionOf(object)));
    return putOrFinish(this.store, target.type.storageId, object);
  }

  /** Keeps a write to its side: status writes change the status, others everything else. */
  private confine(target: Target, old: JsonObject, body: JsonObject): JsonObject {
    if (target.subresource === 'status') {
      const metadata = target.type.statusMetadata === 'kept' ? metadataOf(old) : statusMetadata(metadataOf(old), metadataOf(body));
      return setOrOmit({ ...old, metadata }, 'status', body.status);
    }
    return target.version.hasStatus ? setOrOmit(body, 'status', old.status) : body;
  }

  private bumpGeneration({ type, version, subresource }: Target, old: JsonObject, next: JsonObject): JsonObject {
    if (!type.hasGeneration || subresource === 'status' || !changesDesiredState(old, next, version.hasStatus)) return next;
    const metadata = metadataOf(next);
    return { ...next, metadata: { ...metadata, generation: Number(metadata.generation ?? 0) + 1 } };
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
      throw conflict(type, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.uid}`);
    }
    const version = asString(given.resourceVersion);
    if (version !== '' && version !== '0' && version !== String(current.resourceVersion)) throw conflict(type, name, MODIFIED);
  }
}

/** Status writes may not move labels or owners, as a controller works on an older copy of them. */
function statusMetadata(old: JsonObject, given: JsonObject): JsonObject {
  let metadata = given;
  for (const field of ['labels', 'ownerReferences']) metadata = setOrOmit(metadata, field, old[field]);
  return metadata;
}

function setOrOmit(object: JsonObject, field: string, value: JsonObject[string] | undefined): JsonObject {
  return value === undefined ? omit(object, field) : { ...object, [field]: value };
}

function omit(object: JsonObject, field: string): JsonObject {
  const { [field]: _removed, ...rest } = object;
  return rest;
}

export const specOf = (object: JsonObject): JsonObject => asObject(object.spec);
