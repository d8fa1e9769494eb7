import { get, isObject, itemType, sameJson } from '../schema';
import type { JsonObject, JsonValue, TypeSchema } from '../schema';
import { PatchError } from './patch.errors';

type MergeItem = (original: JsonObject, patch: JsonObject, schema: TypeSchema) => JsonObject;

/** Merges a patch's list into the original as its type declares; a list that declares nothing is replaced. */
export function mergeList(original: JsonValue[], patch: JsonValue[], type: TypeSchema, mergeItem: MergeItem): JsonValue[] {
  if (type.kind !== 'list' || type.patch.strategy === 'replace') return patch;
  const { mergeKey } = type.patch;
  if (mergeKey === undefined) return orderBy(unique([...original, ...patch]), patch, original, type);
  const { kept, changes, replaced } = applySpecialItems(original, patch, mergeKey);
  if (replaced) return changes;
  const merged = mergeItems(kept, changes, mergeKey, (before, change) => mergeItem(before, change, itemType(type)));
  return orderBy(merged, changes, kept, type);
}

/**
 * Puts items that `order` names into that order and leaves the others where the server had them: an item only the server knows stays
 * before the items it preceded.
 */
export function orderBy(items: JsonValue[], order: readonly JsonValue[], serverOrder: readonly JsonValue[], type: TypeSchema): JsonValue[] {
  const mergeKey = type.kind === 'list' && type.patch.strategy === 'merge' ? type.patch.mergeKey : undefined;
  const identity = (item: JsonValue): JsonValue => (mergeKey === undefined || !isObject(item) ? item : keyOf(item, mergeKey));
  const rank = (list: readonly JsonValue[], item: JsonValue): number =>
    list.findIndex((other) => sameJson(identity(other), identity(item)));
  const named = items.filter((item) => rank(order, item) >= 0).sort((a, b) => rank(order, a) - rank(order, b));
  const serverOnly = items.filter((item) => rank(order, item) < 0).sort((a, b) => rank(serverOrder, a) - rank(serverOrder, b));
  const result: JsonValue[] = [];
  for (const item of named) {
    const itemRank = rank(serverOrder, item);
    while (serverOnly[0] !== undefined && itemRank >= 0 && isBefore(rank(serverOrder, serverOnly[0]), itemRank)) {
      result.push(...serverOnly.splice(0, 1));
    }
    result.push(item);
  }
  return [...result, ...serverOnly];
}

function isBefore(rank: number, other: number): boolean {
  return rank >= 0 && rank < other;
}

function unique(items: readonly JsonValue[]): JsonValue[] {
  return items.filter((item, index) => items.findIndex((other) => sameJson(other, item)) === index);
}

function keyOf(item: JsonValue, mergeKey: string): JsonValue {
  const value = isObject(item) ? get(item, mergeKey) : undefined;
  if (value === undefined) throw new PatchError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`, 400);
  return value;
}

interface SpecialItems {
  readonly kept: JsonValue[];
  readonly changes: JsonValue[];
  readonly replaced: boolean;
}

function applySpecialItems(original: JsonValue[], patch: JsonValue[], mergeKey: string): SpecialItems {
  let kept = original;
  let replaced = false;
  const changes: JsonValue[] = [];
  for (const item of patch) {
    const directive = isObject(item) ? get(item, '$patch') : undefined;
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replaced = true;
    else if (directive === 'delete') {
      const gone = keyOf(item, mergeKey);
      kept = kept.filter((other) => !sameJson(keyOf(other, mergeKey), gone));
    } else if (directive === 'merge') throw new PatchError('merging lists cannot yet be specified in the patch', 400);
    else throw new PatchError(`unknown patch type: ${JSON.stringify(directive)} in map: ${JSON.stringify(item)}`, 400);
  }
  return { kept, changes, replaced };
}

function mergeItems(
  original: readonly JsonValue[],
  changes: readonly JsonValue[],
  mergeKey: string,
  mergeItem: (before: JsonObject, change: JsonObject) => JsonObject,
): JsonValue[] {
  const merged = [...original];
  for (const change of changes) {
    const key = keyOf(change, mergeKey);
    const index = merged.findIndex((item) => sameJson(keyOf(item, mergeKey), key));
    const before = merged[index];
    if (index >= 0 && isObject(before) && isObject(change)) merged[index] = mergeItem(before, change);
    else merged.push(change);
  }
  return merged;
}
