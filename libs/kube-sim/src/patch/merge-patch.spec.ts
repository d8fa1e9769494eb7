import fc from 'fast-check';
import type { JsonObject } from '../schema';
import { mergePatch } from './merge-patch';
import { PatchError } from './patch.errors';

const someObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<JsonObject>;

const withoutNulls = (text: string): boolean => !text.includes('null');

describe('mergePatch', () => {
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('merges as the RFC says: %j with %j', (current, patch, expected) => {
    expect(mergePatch(current as JsonObject, patch)).toEqual(expected);
  });

  it('changes nothing with an empty patch, and never the object it is given', () => {
    fc.assert(
      fc.property(someObject, someObject, (current, patch) => {
        const before = JSON.stringify(current);

        expect(mergePatch(current, {})).toEqual(current);
        mergePatch(current, patch);

        expect(JSON.stringify(current)).toBe(before);
      }),
    );
  });

  it('gives the same when the same patch comes twice', () => {
    fc.assert(
      fc.property(someObject, someObject, (current, patch) => {
        const once = mergePatch(current, patch);

        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('makes the patch itself out of nothing when the patch has no nulls', () => {
    fc.assert(
      fc.property(
        someObject.filter((patch) => withoutNulls(JSON.stringify(patch))),
        (patch) => {
          expect(mergePatch({}, patch)).toEqual(patch);
        },
      ),
    );
  });

  it('refuses a patch that is not an object', () => {
    expect(() => mergePatch({}, [1])).toThrow(PatchError);
  });
});
