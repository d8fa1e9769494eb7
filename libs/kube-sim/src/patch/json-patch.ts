import { cloneJson, get, has, isList, isObject, put, sameJson } from '../schema';
import type { JsonObject, JsonValue } from '../schema';
import { PatchError } from './patch.errors';

const MAX_OPERATIONS = 10_000;
const OPERATIONS: ReadonlySet<string> = new Set(['add', 'remove', 'replace', 'move', 'copy', 'test']);

type Operation = { path: string } & (
  { op: 'add' | 'replace' | 'test'; value: JsonValue } | { op: 'remove' } | { op: 'move' | 'copy'; from: string }
);

/**
 * RFC 6902. All operations are applied or none, and `current` is never changed. Array indexes must be in range and every parent must be a
 * list or an object. Fields may have any name, `__proto__` too.
 */
export function jsonPatch(current: JsonObject, ops: unknown): JsonObject {
  if (!Array.isArray(ops)) throw new PatchError('error decoding patch: a JSON patch must be an array of operations', 400);
  if (ops.length > MAX_OPERATIONS) {
    throw new PatchError(`The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${ops.length}`, 413);
  }
  const patched = cloneJson(current);
  for (const op of ops.map(readOperation)) {
    checkFits(patched, op);
    perform(patched, op);
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
      return checkTest(document, op.path, op.value);
  }
}

/** Does what was found to fit. */
function perform(document: JsonObject, op: Operation): void {
  switch (op.op) {
    case 'add':
      return insert(document, op.path, cloneJson(op.value));
    case 'remove':
      remove(document, op.path);
      return;
    case 'replace':
      return replace(document, op.path, cloneJson(op.value));
    case 'move':
      return insert(document, op.path, remove(document, op.from));
    case 'copy':
      return insert(document, op.path, cloneJson(find(document, tokensOf(op.from, op.op)) ?? null));
    case 'test':
      return;
  }
}

function insert(document: JsonObject, path: string, value: JsonValue): void {
  const tokens = tokensOf(path, 'add');
  const key = tokens.pop() ?? '';
  const parent = find(document, tokens);
  if (isList(parent)) parent.splice(key === '-' ? parent.length : Number(key), 0, value);
  else if (isObject(parent)) put(parent, key, value);
  // The place was there before a move took its own surroundings away.
  else throw new PatchError(`add operation does not apply: doc is missing path: "${path}": missing value`, 422);
}

function replace(document: JsonObject, path: string, value: JsonValue): void {
  const tokens = tokensOf(path, 'replace');
  const key = tokens.pop() ?? '';
  const parent = find(document, tokens);
  if (isList(parent)) parent[Number(key)] = value;
  else if (isObject(parent)) put(parent, key, value);
}

function remove(document: JsonObject, path: string): JsonValue {
  const tokens = tokensOf(path, 'remove');
  const key = tokens.pop() ?? '';
  const parent = find(document, tokens);
  if (isList(parent)) return parent.splice(Number(key), 1)[0] ?? null;
  if (!isObject(parent)) return null;
  const removed = get(parent, key) ?? null;
  Reflect.deleteProperty(parent, key);
  return removed;
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
