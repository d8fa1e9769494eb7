import fc from 'fast-check';
import { createPatch } from 'rfc6902';
import type { JsonObject } from '../schema';
import { jsonPatch } from './json-patch';
import { PatchError } from './patch.errors';

// The maker of patches, unlike what is tested, does not look into fields called __proto__; those have a test of their own.
const someObject = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
  .filter((object) => !JSON.stringify(object).includes('"__proto__"')) as fc.Arbitrary<JsonObject>;

function refusal(current: JsonObject, ops: unknown): PatchError {
  try {
    jsonPatch(current, ops);
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error('the patch was accepted');
}

describe('jsonPatch', () => {
  it('applies operations in order and leaves the given object alone', () => {
    const current = { spec: { list: [1, 2] } };

    const patched = jsonPatch(current, [
      { op: 'test', path: '/spec/list/0', value: 1 },
      { op: 'add', path: '/spec/list/1', value: 9 },
      { op: 'move', from: '/spec/list/0', path: '/spec/first' },
      { op: 'copy', from: '/spec/first', path: '/spec/a~1b' },
      { op: 'remove', path: '/spec/list/1' },
    ]);

    expect(patched).toEqual({ spec: { list: [9], first: 1, 'a/b': 1 } });
    expect(current).toEqual({ spec: { list: [1, 2] } });
  });

  it('turns any object into any other', () => {
    fc.assert(
      fc.property(someObject, someObject, (from, to) => {
        expect(jsonPatch(from, createPatch(from, to))).toEqual(to);
      }),
    );
  });

  it('keeps fields that are called __proto__, wherever they are', () => {
    const value = JSON.parse('{"__proto__":{"a":1}}') as JsonObject;

    const patched = jsonPatch({}, [
      { op: 'add', path: '/inside', value },
      { op: 'add', path: '/__proto__', value: 1 },
      { op: 'copy', from: '/inside', path: '/copied' },
      { op: 'add', path: '/copied/__proto__/b', value: 2 },
    ]);

    expect(JSON.stringify(patched)).toBe('{"inside":{"__proto__":{"a":1}},"__proto__":1,"copied":{"__proto__":{"a":1,"b":2}}}');
  });

  it('refuses to move an object into itself', () => {
    expect(refusal({ a: { b: {} } }, [{ op: 'move', from: '/a', path: '/a/b/c' }]).code).toBe(422);
  });

  it.each([
    ['a failed test', [{ op: 'test', path: '/a', value: 2 }]],
    ['a missing parent', [{ op: 'add', path: '/b/c', value: 2 }]],
    ['a missing path', [{ op: 'remove', path: '/b' }]],
    ['a replace of nothing', [{ op: 'replace', path: '/b', value: 1 }]],
    ['an index past the end', [{ op: 'add', path: '/list/3', value: 1 }]],
    ['a step into a scalar', [{ op: 'add', path: '/a/b', value: 1 }]],
    ['an unknown operation', [{ op: 'swap', path: '/a' }]],
    ['an inherited name', [{ op: 'remove', path: '/constructor' }]],
  ])('says 422 to %s', (_, ops) => {
    expect(refusal({ a: 1, list: [1, 2] }, ops).code).toBe(422);
  });

  it.each([[{ op: 'add', path: '/a', value: 1 }], ['text'], [[1]]])('says 400 to %j, which is no list of operations', (ops) => {
    expect(refusal({}, ops).code).toBe(400);
  });

  it('refuses more operations than the API server takes', () => {
    const ops = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }));

    expect(refusal({ a: 1 }, ops)).toMatchObject({ code: 413, message: expect.stringContaining('10001') as string });
  });

  it('passes a test for null where nothing is', () => {
    expect(jsonPatch({ a: 1 }, [{ op: 'test', path: '/b', value: null }])).toEqual({ a: 1 });
  });
});
