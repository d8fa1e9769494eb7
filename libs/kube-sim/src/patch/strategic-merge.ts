import { cloneJson, fieldType, get, has, isList, isObject } from '../schema';
import type { JsonObject, JsonValue, TypeSchema } from '../schema';
import { PatchError } from './patch.errors';
import { mergeList, orderBy } from './strategic-list';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder/';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const BAD_ORDER = 'invalid patch format of setElementOrder list';

/**
 * Kubernetes' own patch format: lists that declare a merge key are merged item by item, and directives (`$patch`, `$retainKeys`,
 * `$setElementOrder/x`, `$deleteFromPrimitiveList/x`) say what a plain merge cannot. Neither argument is changed.
 */
export function strategicMergePatch(current: JsonObject, patch: unknown, typeSchema: TypeSchema): JsonObject {
  if (!isObject(patch)) throw new PatchError('error decoding patch: a strategic merge patch must be an object', 400);
  return mergeMap(cloneJson(current), cloneJson(patch), typeSchema);
}

/** Consumes both arguments: the caller hands over copies. */
function mergeMap(original: JsonObject, patch: JsonObject, schema: TypeSchema): JsonObject {
  if (has(patch, PATCH)) return byDirective(patch);
  retainKeys(original, patch);
  mergeOrderedLists(original, patch, schema);
  for (const [key, value] of Object.entries(patch)) mergeField(original, key, value, schema);
  return original;
}

function byDirective(patch: JsonObject): JsonObject {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw new PatchError(`unknown patch type: ${JSON.stringify(directive)} in map: ${JSON.stringify(rest)}`, 400);
}

function mergeField(original: JsonObject, key: string, value: JsonValue, schema: TypeSchema): void {
  if (key.startsWith(DELETE_FROM)) return deleteFromList(original, key.slice(DELETE_FROM.length), value);
  if (value === null) {
    Reflect.deleteProperty(original, key);
    return;
  }
  const before = get(original, key);
  const type = fieldType(schema, key);
  if (isObject(before) && isObject(value)) original[key] = replacesMap(schema, key) ? value : mergeMap(before, value, type);
  else if (isList(before) && isList(value)) original[key] = mergeList(before, value, type, mergeMap);
  else setFresh(original, key, value);
}

function replacesMap(schema: TypeSchema, key: string): boolean {
  return schema.kind === 'map' && schema.fields[key]?.patchReplaces === true;
}

/** A value with no counterpart is taken as it is, without the nulls and directives that only make sense against one. */
function setFresh(original: JsonObject, key: string, value: JsonValue): void {
  const cleaned = withoutDirectives(value);
  if (cleaned === undefined) Reflect.deleteProperty(original, key);
  else original[key] = cleaned;
}

function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (get(value, PATCH) === 'delete') return undefined;
  const cleaned: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null || isDirective(key)) continue;
    const kept = withoutDirectives(inner);
    if (kept !== undefined) cleaned[key] = kept;
  }
  return cleaned;
}

function isDirective(key: string): boolean {
  return key === PATCH || key === RETAIN_KEYS || key.startsWith(SET_ORDER) || key.startsWith(DELETE_FROM);
}

function retainKeys(original: JsonObject, patch: JsonObject): void {
  const kept = get(patch, RETAIN_KEYS);
  if (kept === undefined) return;
  Reflect.deleteProperty(patch, RETAIN_KEYS);
  const unlisted = Object.entries(patch).some(([key, value]) => value !== null && !isDirective(key) && isList(kept) && !kept.includes(key));
  if (!isList(kept) || unlisted) throw new PatchError('invalid patch format of retainKeys', 400);
  for (const key of Object.keys(original)) {
    if (!kept.includes(key)) Reflect.deleteProperty(original, key);
  }
}

function deleteFromList(original: JsonObject, field: string, gone: JsonValue): void {
  if (!isList(gone)) throw new PatchError('invalid patch format of primitive list', 400);
  const before = get(original, field);
  if (isList(before)) original[field] = before.filter((item) => !gone.includes(item));
}

function mergeOrderedLists(original: JsonObject, patch: JsonObject, schema: TypeSchema): void {
  for (const key of Object.keys(patch).filter((name) => name.startsWith(SET_ORDER))) {
    const order = get(patch, key);
    const field = key.slice(SET_ORDER.length);
    const type = fieldType(schema, field);
    const before = listOrNone(get(original, field));
    const change = listOrNone(get(patch, field));
    if (!isList(order)) throw new PatchError(BAD_ORDER, 400);
    Reflect.deleteProperty(patch, key);
    Reflect.deleteProperty(patch, field);
    if (before === undefined && change === undefined) continue;
    original[field] = orderBy(mergeOrdered(before, change, type), order, before ?? [], type);
  }
}

function mergeOrdered(before: JsonValue[] | undefined, change: JsonValue[] | undefined, type: TypeSchema): JsonValue[] {
  if (before !== undefined && change !== undefined) return mergeList(before, change, type, mergeMap);
  return before ?? (change ?? []).map(withoutDirectives).filter((item) => item !== undefined);
}

function listOrNone(value: JsonValue | undefined): JsonValue[] | undefined {
  if (value === undefined || isList(value)) return value;
  throw new PatchError(BAD_ORDER, 400);
}
