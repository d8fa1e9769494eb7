import { at, isBuiltin, isList, isObject, textAt } from '../schema';
import type { JsonObject, TypeSchema } from '../schema';
import { emptyObject } from './empty-object';
import { FieldSet } from './field-set';
import { readManagedFields, sameOwner, withoutManagedFields, writeManagedFields } from './managed-fields';
import type { Owner, Ownership } from './managed-fields';
import { stripUnowned } from './stripped-fields';
import { compare } from './walk';

const MAX_UPDATERS = 10;

export interface UpdateRequest {
  /** The stored object; absent on create. */
  readonly before?: JsonObject;
  readonly after: JsonObject;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly typeSchema: TypeSchema;
  readonly nowIso: string;
}

/**
 * The managedFields after a create, update or patch: the writer takes every field it changed, others lose those and the ones that are gone,
 * entries that own nothing vanish. A write that changes nothing gives back the list as it was, times included. A client may rewrite the
 * list itself (not through a subresource), or clear it with an empty list.
 */
export function trackUpdate(request: UpdateRequest): JsonObject[] {
  const { before, after, typeSchema, nowIso } = request;
  const known = startingPoint(request);
  // An object whose tracking was switched off stays untracked until somebody applies it.
  if (known.length === 0 && before !== undefined) return [];

  const start = before === undefined ? emptyFor(after) : withoutManagedFields(before);
  const { added, modified, removed } = compare(start, withoutManagedFields(after), typeSchema);
  const taken = stripUnowned(added.union(modified));
  const self: Owner = {
    manager: request.manager || 'unknown',
    operation: 'Update',
    apiVersion: request.apiVersion,
    subresource: request.subresource,
  };
  const kept = known.map((entry) => {
    const rest = entry.fields.difference(removed);
    return { ...entry, fields: sameOwner(entry.owner, self) ? rest : rest.difference(taken) };
  });
  return writeManagedFields(capped(taken.isEmpty ? kept : withTaken(kept, self, taken, nowIso)));
}

function withTaken(kept: readonly Ownership[], self: Owner, taken: FieldSet, nowIso: string): Ownership[] {
  const mine = kept.find(({ owner }) => sameOwner(owner, self));
  const fields = mine === undefined ? taken : mine.fields.union(taken);
  return [...kept.filter((entry) => entry !== mine), { owner: self, fields, time: nowIso }];
}

function startingPoint({ before, after, subresource }: UpdateRequest): Ownership[] {
  if (subresource !== undefined) return readManagedFields(before);
  if (isReset(after)) return [];
  const given = readManagedFields(after);
  return given.length > 0 ? given : readManagedFields(before);
}

function isReset(after: JsonObject): boolean {
  const entries = at(after, 'metadata', 'managedFields');
  if (!isList(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isObject(first) && Object.keys(first).length === 0);
}

function emptyFor(after: JsonObject): JsonObject {
  const [version = '', group = ''] = textAt(after, 'apiVersion').split('/').reverse();
  const kind = textAt(after, 'kind');
  return emptyObject(kind, isBuiltin(group, version, kind));
}

/** Old updaters are folded into one entry a version, so that the list cannot grow without end. */
function capped(ownerships: readonly Ownership[]): Ownership[] {
  const held = ownerships.filter(({ fields }) => !fields.isEmpty);
  const updaters = held.filter(({ owner }) => owner.operation === 'Update').toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1));
  if (updaters.length <= MAX_UPDATERS) return held;
  const excess = updaters.slice(0, updaters.length - MAX_UPDATERS + 1);
  const folded = [...Map.groupBy(excess, ({ owner }) => owner.apiVersion)].map(([apiVersion, entries]) => ({
    owner: { manager: 'ancient-changes', operation: 'Update', apiVersion, subresource: undefined } as const,
    fields: entries.map(({ fields }) => fields).reduce((all, fields) => all.union(fields), FieldSet.empty),
    time: entries.at(-1)?.time,
  }));
  return [...held.filter((entry) => !excess.includes(entry)), ...folded];
}
