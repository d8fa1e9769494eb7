import { type JsonObject, type ObjectStore, asObject, asString } from '../store';
import { type FieldProblem, badRequest, forbidden, notFound } from './api.errors';
import { type Target, type WriteOptions } from './api-request';
import { metadataProblems } from './metadata-rules';
import { type ResourceRegistry } from './resource-registry';
import { defaultBuiltin, validateBuiltin } from './stand-ins';

export interface Admitted {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** Brings an object into the shape its kind has (unknown fields, defaults) and says what is wrong with it. */
export class Admission {
  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
  ) {}

  admit(target: Target, object: JsonObject, options: WriteOptions, old?: JsonObject): Admitted {
    if (!old) this.checkNamespaceIsOpen(target, object);
    if (!target.type.custom) return { object: defaultBuiltin(object), warnings: [] };
    const { schema } = target.version;
    if (!schema) return { object, warnings: [] };
    const warnings = this.unknownFields(target, schema.unknownFields(object), options);
    return { object: schema.applyDefaults(schema.prune(object)), warnings };
  }

  problems(target: Target, object: JsonObject, old?: JsonObject): FieldProblem[] {
    const ofKind = target.type.custom ? (target.version.schema?.validate(object, old) ?? []) : validateBuiltin(object);
    return [...metadataProblems(target.type, object), ...ofKind];
  }

  private unknownFields({ type, version }: Target, fields: readonly string[], options: WriteOptions): string[] {
    const problems = fields.map((field) => `unknown field "${field}"`);
    if (problems.length === 0 || options.fieldValidation === 'Ignore') return [];
    if (options.fieldValidation === 'Warn') return problems;
    throw badRequest(
      `${type.kind} in version "${version.name}" cannot be handled as a ${type.kind}: strict decoding error: ${problems.join(', ')}`,
    );
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
