import { type AddressRange, type LoopbackEndpoints } from '../network';
import { type FieldError, decodeBuiltin, defaultBuiltin, validateBuiltin, validateCrd } from '../schema';
import { type JsonObject, type ObjectStore, asArray, asObject, asString } from '../store';
import { ApiError, forbidden, notFound } from './api.errors';
import { type Target, type WriteOptions } from './api-request';
import { CRD_STORAGE } from './crd-types';
import { eventFromCore, eventToCore } from './event-conversion';
import { eventUpdateProblems } from './event-rules';
import { KindRules, withEventFields } from './kind-rules';

export interface Admitted {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** The body cannot be read as what it should be: a wrong type, or fields that the kind does not have and the client wanted to be told of. */
export class DecodingError extends ApiError {
  constructor(
    { type, version }: Target,
    readonly why: string,
  ) {
    super(400, 'BadRequest', `${type.kind} in version "${version.name}" cannot be handled as a ${type.kind}: ${why}`);
  }
}

export interface AdmissionSettings {
  /** Where Services get their cluster addresses from. */
  readonly clusterRange: AddressRange;
  readonly loopbackEndpoints: LoopbackEndpoints;
}

/** Brings an object into the shape its kind has (unknown fields, defaults) and says what is wrong with it. */
export class Admission {
  private readonly kinds: KindRules;

  constructor(
    private readonly store: ObjectStore,
    private readonly settings: AdmissionSettings,
  ) {
    this.kinds = new KindRules(store, settings.clusterRange);
  }

  /** What a client sent, without what its kind does not know. */
  decode(target: Target, body: JsonObject, options: WriteOptions, old?: JsonObject): Admitted {
    const { object, unknown } = this.read(target, body);
    const problems = [
      ...(options.duplicateFields ?? []).map((field) => `duplicate field "${field}"`),
      ...unknown.map((field) => `unknown field "${field}"`),
    ];
    return { object, warnings: [...this.judge(target, problems, options), ...finalizerWarnings(target, object, old)] };
  }

  /** The object as it will be stored if nothing is wrong with it. */
  complete(target: Target, object: JsonObject, old?: JsonObject): JsonObject {
    if (!old) this.checkNamespaceIsOpen(target, object);
    const prepared = old ? this.kinds.prepareUpdate(target, object, old) : this.kinds.prepareCreate(target, object);
    const { type, version } = target;
    if (type.custom) return version.schema?.applyDefaults(prepared) ?? prepared;
    if (type.kind !== 'Event') return defaultBuiltin(prepared);
    return type.group === '' ? withEventFields(prepared) : eventFromCore(withEventFields(eventToCore(prepared)));
  }

  problems({ type, version }: Target, object: JsonObject, old?: JsonObject): FieldError[] {
    if (type.custom) {
      // Any finalizer will do for a custom resource; one without a domain is only warned of.
      return (version.schema?.validate(object, old) ?? []).filter(({ field }) => !field.startsWith('metadata.finalizers['));
    }
    if (type.storageId === CRD_STORAGE) return validateCrd(object, old);
    const fixed = old && type.group === 'events.k8s.io' ? eventUpdateProblems(object, old) : [];
    return [...validateBuiltin(object, old, this.settings.loopbackEndpoints), ...fixed];
  }

  private read(target: Target, body: JsonObject): { object: JsonObject; unknown: readonly string[] } {
    const { type, version } = target;
    if (type.custom) return version.schema?.decode(body) ?? { object: body, unknown: [] };
    const { object, unknown, problems } = decodeBuiltin(body);
    const [problem] = problems;
    if (problem === undefined) return { object, unknown };
    throw new DecodingError(target, problem);
  }

  private judge(target: Target, problems: string[], { fieldValidation }: WriteOptions): string[] {
    if (problems.length === 0 || fieldValidation === 'Ignore') return [];
    if (fieldValidation === 'Warn') return problems;
    throw new DecodingError(target, `strict decoding error: ${problems.join(', ')}`);
  }

  private checkNamespaceIsOpen({ type, namespace }: Target, object: JsonObject): void {
    if (!type.namespaced) return;
    const holder = this.store.get('/namespaces', '', namespace);
    if (!holder) throw notFound({ group: '', plural: 'namespaces' }, namespace);
    if (asString(asObject(holder.object.status).phase) !== 'Terminating') return;
    const name = asString(asObject(object.metadata).name);
    throw forbidden(type, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
      { reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' },
    ]);
  }
}

const STANDARD_FINALIZERS = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

function finalizerWarnings({ type }: Target, object: JsonObject, old: JsonObject = {}): string[] {
  if (!type.custom) return [];
  const known = asArray(asObject(old.metadata).finalizers);
  return asArray(asObject(object.metadata).finalizers)
    .map(String)
    .filter((finalizer) => !finalizer.includes('/') && !known.includes(finalizer) && !STANDARD_FINALIZERS.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: ${JSON.stringify(finalizer)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}
