import { ConfigMap, Namespace } from '../client';
import { silentLogger } from '../logging';
import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { aConfigMap, added, bookmark, refused } from './cache.fixture';
import { CacheStoppedError, InvalidCacheScopeError, TransformConflictError, UnknownIndexError } from './cache.errors';
import { ScriptedReader } from './scripted-reader.fixture';
import { SharedCache } from './shared-cache';

function setup() {
  const reader = new ScriptedReader();
  const clock = new FakeClock();
  const caches = new SharedCache({ reader, clock, logger: silentLogger, metrics: new KitMetrics(), random: () => 0 });
  return { reader, clock, caches };
}

const names = (objects: readonly { metadata: { name?: string } }[]) => objects.map(({ metadata }) => metadata.name);
const byName = ({ metadata }: { readonly metadata: { readonly name?: string } }) => [metadata.name ?? ''];

describe('SharedCache', () => {
  it('One watch per kind and scope however many users ask for it', async () => {
    const { reader, caches } = setup();

    const users = [
      caches.acquire(ConfigMap),
      caches.acquire(ConfigMap, { indexes: { byName } }),
      caches.acquire({ definition: { ...ConfigMap } }),
      caches.acquire(ConfigMap, { namespace: 'shop' }),
      caches.acquire(ConfigMap, { namespaces: ['shop', 'shop'] }),
      caches.acquire(ConfigMap, { labelSelector: 'app=web' }),
      caches.acquire(ConfigMap, { labelSelector: 'app=web' }),
      caches.acquire(Namespace),
    ];
    await settle();

    expect(users).toHaveLength(8);
    expect(reader.streams.map(({ options: { namespace, labelSelector } }) => ({ namespace, labelSelector }))).toEqual([
      {},
      { namespace: 'shop' },
      { labelSelector: 'app=web' },
      {},
    ]);
  });

  it('the last user leaving stops it', async () => {
    const { reader, clock, caches } = setup();
    const [first, second] = [caches.acquire(ConfigMap), caches.acquire(ConfigMap)];
    await settle();

    first.release();
    first.release();
    await settle();
    expect(reader.openRequests).toBe(1);
    second.release();
    await settle();

    expect([reader.openRequests, clock.pendingTimers]).toEqual([0, 0]);
    expect(caches.health()).toEqual([]);
    caches.acquire(ConfigMap);
    await settle();
    expect(reader.streams).toHaveLength(2);
  });

  it('closes the handlers of a user who leaves, and of nobody else', async () => {
    const { reader, caches } = setup();
    const [leaver, stayer] = [caches.acquire(ConfigMap), caches.acquire(ConfigMap)];
    const heard: string[] = [];
    leaver.subscribe(() => void heard.push('leaver'));
    stayer.subscribe(() => void heard.push('stayer'));
    await settle();

    leaver.release();
    reader.stream.send(added(aConfigMap('a')), bookmark('10', 'end'));
    await settle();

    expect(heard).toEqual(['stayer']);
    expect(() => leaver.subscribe(() => undefined)).toThrow(CacheStoppedError);
  });

  it('builds an index at once when a later user of the same watch asks for it', async () => {
    const { reader, caches } = setup();
    caches.acquire(ConfigMap);
    await settle();
    reader.stream.send(added(aConfigMap('a')), added(aConfigMap('b')), bookmark('10', 'end'));
    await settle();

    const late = caches.acquire(ConfigMap, { indexes: { byName } });

    expect(names(late.byIndex('byName', 'b'))).toEqual(['b']);
  });

  it('lets two users give one index name different meanings', async () => {
    const { reader, caches } = setup();
    const first = caches.acquire(ConfigMap, { indexes: { it: byName } });
    const second = caches.acquire(ConfigMap, { indexes: { it: ({ metadata }) => [metadata.uid ?? ''] } });
    await settle();
    reader.stream.send(added(aConfigMap('a')), bookmark('10', 'end'));
    await settle();

    first.release();

    expect(names(first.byIndex('it', 'a'))).toEqual(['a']);
    expect(names(second.byIndex('it', 'uid-a'))).toEqual(['a']);
    expect(second.byIndex('it', 'a')).toEqual([]);
  });

  it('names the index that nobody asked for', () => {
    const cache = setup().caches.acquire(ConfigMap, { indexes: { byName } });

    expect(() => cache.byIndex('byColour', 'red')).toThrow(UnknownIndexError);
    expect(() => cache.byIndex('toString', 'red')).toThrow(/no index "toString" .* \(there: byName\)/);
  });

  it('asks to leave out managed fields only when the default transform would drop them anyway', async () => {
    const { reader, caches } = setup();

    caches.acquire(ConfigMap);
    caches.acquire(Namespace, { transform: (object) => object });
    await settle();

    expect(reader.streams.map(({ options }) => options.managedFields)).toEqual(['omit', undefined]);
  });

  it('refuses a second transform for one watch', async () => {
    const { reader, caches } = setup();
    const keep = (object: ConfigMap) => object;
    caches.acquire(ConfigMap, { transform: keep });
    caches.acquire(ConfigMap, { transform: keep });

    expect(() => caches.acquire(ConfigMap)).toThrow(TransformConflictError);
    expect(() => caches.acquire(ConfigMap, { transform: (object) => object })).toThrow(/configmaps: transform differs/);
    await settle();

    expect(reader.streams).toHaveLength(1);
  });

  it('does not leave a watch behind when an index function fails', async () => {
    const { reader, caches } = setup();
    caches.acquire(ConfigMap);
    await settle();
    reader.stream.send(added(aConfigMap('a')), bookmark('10', 'end'));
    await settle();

    const failing = () => {
      throw new Error('cannot file this');
    };
    expect(() => caches.acquire(ConfigMap, { indexes: { failing } })).toThrow('cannot file this');

    expect(reader.openRequests).toBe(1);
    await caches.stop();
    expect(reader.openRequests).toBe(0);
  });

  it('shows several namespaces as one cache', async () => {
    const { reader, caches } = setup();
    const cache = caches.acquire(ConfigMap, { namespaces: ['shop', 'bank'] });
    await settle();
    const [bank, shop] = reader.streams;
    expect([bank, shop].map((stream) => stream?.options.namespace)).toEqual(['bank', 'shop']);

    shop?.send(added(aConfigMap('a')), bookmark('10', 'end'));
    await settle();
    expect(cache.hasSynced).toBe(false);
    bank?.send(added(aConfigMap('b', { namespace: 'bank' })), bookmark('12', 'end'));
    await settle();

    expect(cache.hasSynced).toBe(true);
    expect(names(cache.list())).toEqual(['a', 'b']);
    expect(names(cache.list('bank'))).toEqual(['b']);
  });

  it.each([
    ['namespaces', { namespace: 'shop', namespaces: ['bank'] }, /together with namespace/],
    ['namespaces', { namespaces: [] }, /is empty/],
    ['namespaces', { namespaces: ['shop', ''] }, /empty name/],
    ['namespace', { namespace: '' }, /empty name/],
  ])('refuses %s of %j', (field, scope, message) => {
    const { caches } = setup();
    const attempt = () => caches.acquire(ConfigMap, scope);

    expect(attempt).toThrow(InvalidCacheScopeError);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(`configmaps: ${field} `);
  });

  it('refuses a namespace for a kind that has none', () => {
    expect(() => setup().caches.acquire(Namespace, { namespace: 'shop' })).toThrow(/namespaces: namespace has no meaning/);
  });

  it('tells the health of every watch', async () => {
    const { reader, clock, caches } = setup();
    caches.acquire(ConfigMap);
    caches.acquire(Namespace);
    await settle();

    reader.streams[0]?.send(bookmark('10', 'end'));
    reader.streams[1]?.fail(refused());
    await settle();

    expect(caches.health()).toEqual([
      { resource: 'configmaps', synced: true, consecutiveFailures: 0, lastContactMs: clock.now(), lastError: undefined },
      { resource: 'namespaces', synced: false, consecutiveFailures: 1, lastError: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  it('stops every watch and lets nobody in afterwards', async () => {
    const { reader, clock, caches } = setup();
    const cache = caches.acquire(ConfigMap, { namespaces: ['shop', 'bank'] });
    cache.subscribe(() => undefined, { resyncPeriodMs: 1_000 });
    const waiting = expect(cache.synced(new AbortController().signal)).rejects.toThrow(CacheStoppedError);
    await settle();

    await caches.stop();

    await waiting;
    expect([reader.openRequests, clock.pendingTimers]).toEqual([0, 0]);
    expect(() => caches.acquire(ConfigMap)).toThrow(CacheStoppedError);
  });

  it('gives up waiting for the first list when the signal says so', async () => {
    const cache = setup().caches.acquire(ConfigMap);
    const abort = new AbortController();
    const waiting = cache.synced(abort.signal);

    abort.abort(new Error('no longer needed'));

    await expect(waiting).rejects.toThrow('no longer needed');
  });
});
