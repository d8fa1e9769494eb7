import { applyPatch } from 'rfc6902';
import type { Operation } from 'rfc6902';
import { cloneJson, get, has, isList, isObject, sameJson } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { PatchError } from './patch.errors';

const MAX_OPERATIONS = 10_000;
const OPERATIONS: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

/**
 * RFC 6902. All operations are applied or none, and `current` is never changed. Stricter than the library it stands on: array indexes
 * must be in range and every parent must be a list or an object.
 */
export function jsonPatch(current: JsonObject, ops: unknown): JsonObject {
  if (!Array.isArray(ops)) throw new PatchError('error decoding patch: a JSON patch must be an array of operations', 400);
  if (ops.length > MAX_OPERATIONS) {
    throw new PatchError(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${ops.length}`, 413);
  }
  const patched = cloneJson(current);
  for (const op of ops.map(readOperation)) {
    checkFits(patched, op);
    if (op.op === 'test') continue;
    const [failure] = applyPatch(patched, [op]);
    if (failure) throw new PatchError(`${op.op} operation does not apply: ${failure.message}`, 422);
  }
  return patched;
}

function readOperation(op: unknown): Operation {
  if (!isObject(op)) throw new PatchError('error decoding patch: every operation must be an object', 400);
  const name = typeof op.op === 'string' ? op.op : '';
  if (!OPERATIONS.has(name)) throw new PatchError(`Unexpected kind: ${name || 'unknown'}`, 422);
  if (typeof op.path !== 'string') throw new PatchError(`${name} operation failed to decode path: missing value`, 422);
  if ((name === 'move' || name === 'copy') && typeof op.from !== 'string') {
    throw new PatchError(`${name} operation failed to decode from: missing value`, 422);
  }
  // A missing value means null to the API server.
  return { value: null, ...op } as unknown as Operation;
}

function checkFits(document: JsonObject, op: Operation): void {
  switch (op.op) {
    case 'add':
      return checkTarget(document, op.op, op.path, 'insert');
    case 'remove':
    case 'replace':
      return checkTarget(document, op.op, op.path, 'existing');
    case 'move':
    case 'copy':
      checkTarget(document, op.op, op.from, 'existing');
      return checkTarget(document, op.op, op.path, 'insert');
    case 'test':
      return checkTest(document, op.path, op.value as JsonValue);
  }
}

function checkTest(document: JsonObject, path: string, expected: JsonValue): void {
  const found = find(document, tokensOf(path, 'test'));
  // A missing value passes a test for null, as it does on the API server.
  if (!sameJson(found ?? null, expected)) throw new PatchError(`testing value ${path} failed: test failed`, 422);
}

type Target = 'insert' | 'existing';

function checkTarget(document: JsonObject, op: string, path: string, target: Target): void {
  const tokens = tokensOf(path, op);
  const key = tokens.at(-1);
  if (key === undefined) throw new PatchError(`${op} operation does not apply: the whole document cannot be the target`, 422);
  const parent = find(document, tokens.slice(0, -1));
  if (isList(parent)) checkIndex(parent, op, path, key, target);
  else if (!isObject(parent)) throw new PatchError(`${op} operation does not apply: doc is missing path: "${path}": missing value`, 422);
  else if (target === 'existing' && !has(parent, key)) {
    throw new PatchError(`${op} operation does not apply: doc is missing key: ${path}: missing value`, 422);
  }
}

function checkIndex(list: readonly JsonValue[], op: string, path: string, key: string, target: Target): void {
  if (key === '-' && target === 'insert') return;
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Number.NaN;
  const limit = target === 'insert' ? list.length : list.length - 1;
  if (index <= limit) return;
  throw new PatchError(`error in ${op} for path: '${path}': Unable to access invalid index: ${key}: invalid index referenced`, 422);
}

function tokensOf(path: string, op: string): string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new PatchError(`${op} operation does not apply: doc is missing path: "${path}": missing value`, 422);
  const tokens = path.slice(1).split('/');
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function find(document: JsonValue, tokens: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const token of tokens) {
    if (isList(value)) value = value[Number(token)];
    else if (isObject(value)) value = get(value, token);
    else return undefined;
  }
  return value;
}
