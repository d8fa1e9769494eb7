import fc from 'fast-check';
import type { ConfigMap } from '../client';
import { aConfigMap } from './cache.fixture';
import { SiblingMemory, shareWith } from './structural-sharing';

interface Thing extends ConfigMap {
  spec: unknown;
}

const thing = (spec: unknown): Thing => ({ ...aConfigMap('a'), spec });

function isDeeplyFrozen(value: unknown): boolean {
  return typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
}

describe('shareWith', () => {
  it('changes nothing that can be read, whatever it is compared with, and freezes everything', () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(json, json, fc.boolean(), (spec, other, isNear) => {
        const known = shareWith(structuredClone(thing(isNear ? { spec, other } : other)), undefined);
        const fresh = thing(isNear ? { spec, more: other } : spec);
        const expected = structuredClone(fresh);

        const shared = shareWith(fresh, known);

        expect(shared).toStrictEqual(expected);
        expect(isDeeplyFrozen(shared)).toBe(true);
      }),
    );
  });

  it('holds one instance of what is equal', () => {
    const known = shareWith(thing({ same: [{ image: 'nginx' }], differs: 1 }), undefined);

    const shared = shareWith(thing({ same: [{ image: 'nginx' }], differs: 2 }), known);

    const [before, after] = [known.spec, shared.spec] as { same: unknown }[];
    expect(after?.same).toBe(before?.same);
    expect(shared.metadata).toBe(known.metadata);
    expect(shared.spec).not.toBe(known.spec);
  });

  it('is the known object when all is equal', () => {
    const known = shareWith(thing({ a: 1 }), undefined);

    expect(shareWith(thing({ a: 1 }), known)).toBe(known);
  });

  it('takes a frozen part as it is', () => {
    const known = shareWith(thing({ part: { a: 1, b: 1 } }), undefined);
    const part = Object.freeze({ a: 1, b: [2] });

    const shared = shareWith(thing({ part }), known);

    expect(shared.spec).toEqual({ part: { a: 1, b: [2] } });
    expect(isDeeplyFrozen(shared)).toBe(true);
  });

  it.each([
    ['a field less', { a: 1 }, { a: 1, b: 2 }],
    ['a field more', { a: 1, b: 2 }, { a: 1 }],
    ['an item less', [1], [1, 2]],
    ['a list for an object', [], {}],
    ['an object for a list', {}, []],
    ['null for an object', null, {}],
    ['an object for null', {}, null],
    ['an absent field for undefined', {}, { a: undefined }],
  ])('tells %s apart', (_what, spec, other) => {
    const shared = shareWith(thing(spec), shareWith(thing(other), undefined));

    expect(shared.spec).toStrictEqual(spec);
  });
});

describe('SiblingMemory', () => {
  const owned = (uid: string) =>
    aConfigMap(uid, { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: uid, uid }] }, { owner: uid });

  it('knows the last object of each owner', () => {
    const memory = new SiblingMemory<ConfigMap>();
    for (const uid of ['x', 'y']) memory.remember(owned(uid), owned(uid));

    expect(memory.siblingOf(owned('x'))?.data).toEqual({ owner: 'x' });
    expect(memory.siblingOf(aConfigMap('orphan'))).toBeUndefined();
  });

  it('forgets the owner it has not heard of for longest', () => {
    const memory = new SiblingMemory<ConfigMap>(2);

    for (const uid of ['x', 'y', 'x', 'z']) memory.remember(owned(uid), owned(uid));

    expect(['x', 'y', 'z'].map((uid) => memory.siblingOf(owned(uid)) !== undefined)).toEqual([true, false, true]);
  });
});
