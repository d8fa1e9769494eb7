import type { ConfigMap } from '../client';
import { aConfigMap } from './cache.fixture';
import { ObjectIndex } from './object-index';
import { type IndexFunction, ObjectStore } from './object-store';
import { shareWith } from './structural-sharing';

const frozen = (object: ConfigMap) => shareWith(object, undefined);
const byColour: IndexFunction<ConfigMap> = ({ data }) => Object.values(data ?? {});

function coloured(name: string, colours: Record<string, string>, version = '1') {
  return frozen(aConfigMap(name, { resourceVersion: version }, colours));
}

const namesIn = (objects: readonly { metadata: { name?: string } }[]) => objects.map(({ metadata }) => metadata.name);

describe('ObjectStore', () => {
  it('Indexes move on update, empty sets are removed, multi-value indexes work, an owner-reference index exists', () => {
    const store = new ObjectStore<ConfigMap>();
    store.addIndex(byColour);
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'owner-1' };

    store.put(coloured('a', { x: 'red', y: 'blue' }));
    store.put(frozen(aConfigMap('owned', { ownerReferences: [owner] }, { x: 'blue' })));
    expect(namesIn(store.indexed(byColour, 'red'))).toEqual(['a']);
    expect(namesIn(store.indexed(byColour, 'blue'))).toEqual(['a', 'owned']);
    expect(namesIn(store.ownedBy('owner-1'))).toEqual(['owned']);
    store.put(coloured('a', { x: 'green', y: 'blue' }, '2'));

    expect(store.indexed(byColour, 'red')).toEqual([]);
    expect(namesIn(store.indexed(byColour, 'green'))).toEqual(['a']);
    expect(namesIn(store.indexed(byColour, 'blue')).sort()).toEqual(['a', 'owned']);
    store.replace([]);
    expect([store.indexed(byColour, 'blue'), store.ownedBy('owner-1'), store.list('shop')]).toEqual([[], [], []]);
  });

  it('lists one namespace without looking at the others', () => {
    const store = new ObjectStore<ConfigMap>();
    store.put(frozen(aConfigMap('a')));
    store.put(frozen(aConfigMap('a', { namespace: 'other' })));

    expect(store.list('other').map(({ metadata }) => metadata.namespace)).toEqual(['other']);
    expect(store.list()).toHaveLength(2);
    expect(store.list('nowhere')).toEqual([]);
  });

  it('tells what a replacement changed, and only that', () => {
    const store = new ObjectStore<ConfigMap>();
    const [same, old, gone] = [coloured('same', {}), coloured('changed', {}), coloured('gone', {})];
    store.replace([same, old, gone]);

    const changes = store.replace([coloured('same', {}), coloured('changed', {}, '2'), coloured('new', {})]);

    expect(changes.map(({ before, after }) => [before?.metadata.name, after?.metadata.name])).toEqual([
      ['changed', 'changed'],
      [undefined, 'new'],
      ['gone', undefined],
    ]);
    expect(store.get({ namespace: 'shop', name: 'same' })).toBe(same);
  });

  it('replaces one namespace and leaves the others', () => {
    const store = new ObjectStore<ConfigMap>();
    store.put(frozen(aConfigMap('a')));
    store.put(frozen(aConfigMap('b', { namespace: 'other' })));

    store.replace([frozen(aConfigMap('c', { namespace: 'other' }))], 'other');

    expect(namesIn(store.list())).toEqual(['a', 'c']);
  });

  it('is left as it was by an index function that throws', () => {
    const store = new ObjectStore<ConfigMap>();
    const picky: IndexFunction<ConfigMap> = ({ data }) => {
      if (data?.bad) throw new Error('cannot file this');
      return ['good'];
    };
    store.addIndex(byColour);
    store.addIndex(picky);
    store.put(coloured('a', { x: 'red' }));

    expect(() => store.put(coloured('a', { bad: 'blue' }, '2'))).toThrow('cannot file this');
    expect(() => store.replace([coloured('b', {}), coloured('c', { bad: 'blue' })])).toThrow('cannot file this');

    expect(namesIn(store.list())).toEqual(['a']);
    expect(store.indexed(byColour, 'blue')).toEqual([]);
    expect(namesIn(store.indexed(byColour, 'red'))).toEqual(['a']);
  });

  it('answers from an index that was dropped by asking every object', () => {
    const store = new ObjectStore<ConfigMap>();
    store.addIndex(byColour);
    store.put(coloured('a', { x: 'red' }));

    store.dropIndex(byColour);

    expect(namesIn(store.indexed(byColour, 'red'))).toEqual(['a']);
  });
});

describe('ObjectIndex', () => {
  it('has every key of a value, one or many, and each once', () => {
    const index = new ObjectIndex();
    const keys = () => [...index.keys('red')];

    index.move('shop/a', [], ['red']);
    index.move('shop/a', ['red'], ['red']);
    expect(keys()).toEqual(['shop/a']);
    index.move('shop/b', [], ['red']);
    expect(keys()).toEqual(['shop/a', 'shop/b']);
    index.move('shop/c', ['red'], []);
    index.move('shop/a', ['red'], []);
    expect(keys()).toEqual(['shop/b']);
    index.move('shop/b', ['red'], []);

    expect(keys()).toEqual([]);
    expect(index.size).toBe(0);
  });

  it('keeps no memory of a value without keys', () => {
    const index = new ObjectIndex();
    index.move('shop/a', [], ['red', 'blue']);

    index.move('shop/a', ['red', 'blue'], ['blue']);
    expect(index.size).toBe(1);
    index.move('shop/a', ['blue'], []);

    expect(index.size).toBe(0);
  });
});
