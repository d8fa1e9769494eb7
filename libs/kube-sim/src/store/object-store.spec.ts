import { CompactedError } from './store.errors';
import { ObjectStore } from './object-store';

const named = (name: string, data = 'x', namespace = 'default') => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, namespace },
  data,
});

const keysAt = (store: ObjectStore, version: number): string[] =>
  [...store.collection('configmaps').inOrderAt(version, '', '')].map(({ key }) => key);

describe('ObjectStore', () => {
  it('gives every write its own, higher version, whatever the resource', () => {
    const store = new ObjectStore();

    const versions = [store.put('configmaps', named('a')), store.put('pods', named('p')), store.put('configmaps', named('a', 'y'))].map(
      ({ resourceVersion }) => resourceVersion,
    );

    expect(versions[1]).toBeGreaterThan(versions[0] ?? Infinity);
    expect(versions[2]).toBeGreaterThan(versions[1] ?? Infinity);
    expect(store.get('configmaps', 'default', 'a')?.metadata.resourceVersion).toBe(String(versions[2]));
  });

  it('tells a deletion with the last state at a version of its own', () => {
    const store = new ObjectStore();
    const seen: unknown[] = [];
    store.put('configmaps', named('a', 'last'));
    store.collection('configmaps').listen(({ type, object, resourceVersion }) => seen.push([type, object.object.data, resourceVersion]));

    store.remove('configmaps', 'default', 'a');

    expect(seen).toEqual([['DELETED', 'last', store.currentVersion]]);
  });

  it('keeps keys in order however they came', () => {
    const store = new ObjectStore();

    for (const name of ['c', 'a', 'b']) store.put('configmaps', named(name));
    store.put('configmaps', named('z', 'x', 'alpha'));

    expect([...store.collection('configmaps').inOrder('', '')].map(({ key }) => key)).toEqual([
      'alpha/z',
      'default/a',
      'default/b',
      'default/c',
    ]);
  });

  it('reads a past state after objects were added, changed and removed', () => {
    const store = new ObjectStore();
    store.put('configmaps', named('kept'));
    store.put('configmaps', named('changed', 'before'));
    const { resourceVersion } = store.put('configmaps', named('removed'));

    store.put('configmaps', named('added'));
    store.put('configmaps', named('changed', 'after'));
    store.remove('configmaps', 'default', 'removed');

    expect(keysAt(store, resourceVersion)).toEqual(['default/changed', 'default/kept', 'default/removed']);
    const past = [...store.collection('configmaps').inOrderAt(resourceVersion, '', '')];
    expect(past.find(({ name }) => name === 'changed')?.object.data).toBe('before');
  });

  it('refuses a version from before a compaction', () => {
    const store = new ObjectStore();
    const { resourceVersion } = store.put('configmaps', named('a'));
    store.put('configmaps', named('b'));

    store.compact();

    expect(() => keysAt(store, resourceVersion)).toThrow(CompactedError);
    expect(keysAt(store, store.currentVersion)).toEqual(['default/a', 'default/b']);
  });

  it('forgets the oldest changes once it has more than its limit', () => {
    const store = new ObjectStore({ historyLimit: 10 });
    const first = store.put('configmaps', named('a')).resourceVersion;
    for (let index = 0; index < 25; index++) store.put('configmaps', named('a', String(index)));

    const collection = store.collection('configmaps');

    expect(() => collection.changesSince(first)).toThrow(CompactedError);
    expect(collection.changesSince(store.currentVersion - 10)).toHaveLength(10);
  });

  it('serializes an object once, without what its served version puts in front', () => {
    const store = new ObjectStore();

    const stored = store.put('configmaps', named('a'));

    expect(JSON.parse(`{${stored.tail}`)).toEqual({ metadata: stored.metadata, data: 'x' });
    expect(stored.tail).toBe(stored.tail);
  });
});
