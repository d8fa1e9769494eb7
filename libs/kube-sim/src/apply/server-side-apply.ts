import { cloneJson, isObject, sameJson, without } from '../schema';
import type { JsonObject, TypeSchema } from '../schema';
import { ApplyConflict, ApplySchemaError } from './apply.errors';
import type { OwnerConflict } from './apply.errors';
import { configProblems } from './config-check';
import { FieldSet } from './field-set';
import { allowedByLastApplied, syncLastApplied } from './last-applied';
import {
  readManagedFields,
  sameOwner,
  sameOwnerships,
  withManagedFields,
  withoutManagedFields,
  writeManagedFields,
} from './managed-fields';
import type { Owner, Ownership } from './managed-fields';
import { mergeConfig } from './merge';
import { stripUnowned } from './stripped-fields';
import { trackUpdate } from './track-update';
import { compare, fieldsOf, removeFields, withNamedFields } from './walk';

export interface ApplyRequest {
  readonly live?: JsonObject;
  readonly config: JsonObject;
  readonly manager: string;
  readonly force: boolean;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly typeSchema: TypeSchema;
  readonly nowIso: string;
  /** Top-level fields that this endpoint never writes, such as `status` on the main resource: neither merged nor owned. */
  readonly ignoredFields?: readonly string[];
}

/**
 * Server-side apply: the configuration becomes exactly what its manager owns. Fields the manager gave up disappear when nobody else owns
 * them; fields of others are refused unless they already have the same value or `force` takes them. The returned object carries the new
 * managedFields and has no defaults filled in; applying the same configuration again returns the live object, times included.
 *
 * @throws ApplyConflict when others own fields that would change; ApplySchemaError when the configuration does not fit the type.
 */
export function serverSideApply(request: ApplyRequest): JsonObject {
  const config = without(withoutManagedFields(request.config), ...(request.ignoredFields ?? []));
  const problems = configProblems(config, request.typeSchema);
  if (problems.length > 0) throw new ApplySchemaError(problems);

  const live = request.live === undefined ? {} : withoutManagedFields(request.live);
  const before = ownershipsBefore(request);
  const attempt = applyConfig(live, config, before, request);
  const blocking = request.force ? [] : withoutAllowed(attempt.conflicts, request);
  if (blocking.length > 0) throw new ApplyConflict(blocking);

  const object = syncLastApplied(attempt.object, config, request.manager);
  const unchanged = sameJson(object, live) && sameOwnerships(before, attempt.ownerships);
  if (unchanged && request.live !== undefined) return cloneJson(request.live);
  return withManagedFields(object, writeManagedFields(attempt.ownerships));
}

/** An object that was never tracked gets one owner for all it holds, so that taking a field over is a conflict and not silent. */
function ownershipsBefore(request: ApplyRequest): Ownership[] {
  const { live } = request;
  if (live === undefined) return [];
  const known = readManagedFields(live);
  if (known.length > 0) return known;
  const { apiVersion, typeSchema, nowIso } = request;
  const tracked = trackUpdate({ after: withoutManagedFields(live), manager: 'before-first-apply', apiVersion, typeSchema, nowIso });
  return readManagedFields({ metadata: { managedFields: tracked } });
}

interface Attempt {
  readonly object: JsonObject;
  readonly ownerships: Ownership[];
  readonly conflicts: OwnerConflict[];
}

function applyConfig(live: JsonObject, config: JsonObject, before: readonly Ownership[], request: ApplyRequest): Attempt {
  const { typeSchema, nowIso } = request;
  const self: Owner = { manager: request.manager, operation: 'Apply', apiVersion: request.apiVersion, subresource: request.subresource };
  const previous = before.find(({ owner }) => sameOwner(owner, self));
  const others = before.filter((entry) => entry !== previous);
  const stated = fieldsOf(config, typeSchema);
  const merged = asObject(mergeConfig(live, config, typeSchema));
  const object = dropAbandoned(merged, previous?.fields ?? FieldSet.empty, [stated, ...others.map(({ fields }) => fields)], typeSchema);

  const { added, modified, removed } = compare(live, object, typeSchema);
  const changed = added.union(modified);
  const conflicts = others.flatMap(({ owner, fields }) =>
    fields
      .intersection(changed)
      .paths()
      .map((path) => ({ owner, path })),
  );
  const kept = others.map((entry) => ({ ...entry, fields: entry.fields.difference(changed).difference(removed) }));
  const fields = stripUnowned(stated);
  const isSame = sameJson(object, live) && previous?.fields.equals(fields) === true;
  return { object, conflicts, ownerships: [...kept, { owner: self, fields, time: isSame ? previous.time : nowIso }] };
}

/** Removes what this manager owned and no longer states, unless somebody else owns it. */
function dropAbandoned(merged: JsonObject, previous: FieldSet, owned: readonly FieldSet[], schema: TypeSchema): JsonObject {
  if (previous.isEmpty) return merged;
  const named = (fields: FieldSet): FieldSet => withNamedFields(fields, schema);
  const existing = named(fieldsOf(merged, schema));
  const stillOwned = owned.map(named).reduce((all, fields) => all.union(fields), FieldSet.empty);
  const abandoned = existing.intersection(named(previous)).difference(stillOwned);
  return asObject(removeFields(merged, abandoned, schema));
}

function withoutAllowed(conflicts: readonly OwnerConflict[], request: ApplyRequest): OwnerConflict[] {
  if (conflicts.length === 0 || request.manager !== 'kubectl') return [...conflicts];
  const allowed = allowedByLastApplied(request.live ?? {}, request.apiVersion, request.typeSchema);
  return conflicts.filter(({ path }) => !allowed.hasPath(path));
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
