import { ConfigMap } from '../client';
import { KitMetrics } from '../metrics';
import { FakeClock, RecordingLogger, settle } from '../testing';
import type { CacheOptions } from './cache-access';
import { CacheStoppedError, SubscriptionClosedError } from './cache.errors';
import { aConfigMap, added, bookmark, deleted, gone, modified } from './cache.fixture';
import type { CacheEvent } from './lister';
import type { ReflectorOptions } from './reflector';
import { type ScriptedList, ScriptedReader } from './scripted-reader.fixture';
import { SharedCache } from './shared-cache';

function setup(options: CacheOptions<ConfigMap> = {}, reflector: ReflectorOptions = {}, ...lists: ScriptedList[]) {
  const reader = new ScriptedReader();
  reader.answers.push(...lists);
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const metrics = new KitMetrics();
  const caches = new SharedCache({ reader, clock, logger, metrics, random: () => 0 }, reflector);
  const cache = caches.acquire(ConfigMap, options);
  return { reader, clock, logger, metrics, caches, cache };
}

/** A cache that has been given these objects by a streaming list. */
async function synced(objects: ConfigMap[], options?: CacheOptions<ConfigMap>) {
  const world = setup(options);
  await settle();
  world.reader.stream.send(...objects.map(added), bookmark('10', 'end'));
  await settle();
  return world;
}

const told = (event: CacheEvent<ConfigMap>) => `${event.type} ${event.object.metadata.name}`;

describe('a cached kind', () => {
  it('A relist emits deletes for objects that vanished meanwhile (final state unknown)', async () => {
    const { reader, cache } = await synced([aConfigMap('kept'), aConfigMap('vanished')]);
    const events: CacheEvent<ConfigMap>[] = [];
    cache.subscribe((event) => void events.push(event));
    await settle();
    events.length = 0;

    reader.stream.fail(gone());
    await settle();
    reader.stream.send(added(aConfigMap('kept')), bookmark('20', 'end'));
    await settle();

    expect(events).toEqual([{ type: 'deleted', object: aConfigMap('vanished'), finalStateUnknown: true }]);
    expect(cache.get({ namespace: 'shop', name: 'vanished' })).toBeUndefined();
  });

  it('Delete and recreate under one name may arrive as one update', async () => {
    const { reader, cache } = await synced([aConfigMap('a', { uid: 'first' })]);
    const events: CacheEvent<ConfigMap>[] = [];
    cache.subscribe((event) => void events.push(event));

    reader.stream.fail(gone());
    await settle();
    reader.stream.send(added(aConfigMap('a', { uid: 'second', resourceVersion: '15' })), bookmark('20', 'end'));
    await settle();

    expect(events.map(told)).toEqual(['added a', 'updated a']);
  });

  it('the uid differs and both are visible', async () => {
    const { reader, cache } = await synced([aConfigMap('a', { uid: 'first' })]);
    const uids: (string | undefined)[][] = [];
    cache.subscribe((event) => {
      if (event.type === 'updated') uids.push([event.before.metadata.uid, event.object.metadata.uid]);
    });

    reader.stream.send(added(aConfigMap('a', { uid: 'second', resourceVersion: '15' })));
    await settle();

    expect(uids).toEqual([['first', 'second']]);
  });

  it('The store and its indexes are updated before handlers run', async () => {
    const colours = ({ data }: { readonly data?: Readonly<Record<string, string>> }) => Object.values(data ?? {});
    const { reader, cache } = await synced([aConfigMap('a', {}, { x: 'red' })], { indexes: { colours } });
    const views: object[] = [];
    cache.subscribe((event) => {
      views.push({
        event: told(event),
        stored: cache.get({ namespace: 'shop', name: 'a' }) === event.object,
        red: cache.byIndex('colours', 'red').length,
        blue: cache.byIndex('colours', 'blue').length,
      });
    });
    await settle();

    reader.stream.send(modified(aConfigMap('a', { resourceVersion: '11' }, { x: 'blue' })));
    await settle();
    reader.stream.send(deleted(aConfigMap('a', { resourceVersion: '12' }, { x: 'blue' })));
    await settle();

    expect(views).toEqual([
      { event: 'added a', stored: true, red: 1, blue: 0 },
      { event: 'updated a', stored: true, red: 0, blue: 1 },
      { event: 'deleted a', stored: false, red: 0, blue: 0 },
    ]);
  });

  it('tells a deletion in the state the server sent with it', async () => {
    const { reader, cache } = await synced([aConfigMap('a')]);
    const events: CacheEvent<ConfigMap>[] = [];
    cache.subscribe((event) => void events.push(event));

    reader.stream.send(deleted(aConfigMap('a', { resourceVersion: '12' }, { last: 'words' })));
    await settle();

    expect(events.at(-1)).toMatchObject({ type: 'deleted', finalStateUnknown: false, object: { data: { last: 'words' } } });
  });

  it('says nothing about an object that comes again in the same version', async () => {
    const { reader, cache } = await synced([aConfigMap('a')]);
    const events: string[] = [];
    cache.subscribe((event) => void events.push(told(event)));

    reader.stream.send(added(aConfigMap('a')), modified(aConfigMap('a')));
    await settle();

    expect(events).toEqual(['added a']);
  });

  it('counts its objects', async () => {
    const { reader, cache, metrics } = await synced([aConfigMap('a'), aConfigMap('b')]);
    const count = async () => (await metrics.cacheObjects.get()).values[0]?.value;
    reader.stream.send(deleted(aConfigMap('a')), added(aConfigMap('c')), added(aConfigMap('d')));
    await settle();
    expect(await count()).toBe(3);

    cache.release();

    expect(await count()).toBe(0);
  });
});

describe('a handler of a cached kind', () => {
  it('A handler added late gets an add for everything cached', async () => {
    const { cache } = await synced([aConfigMap('a'), aConfigMap('b')]);
    const events: CacheEvent<ConfigMap>[] = [];

    cache.subscribe((event) => void events.push(event));
    await settle();

    expect(events).toEqual([
      { type: 'added', object: aConfigMap('a'), initial: true },
      { type: 'added', object: aConfigMap('b'), initial: true },
    ]);
  });

  it('Each handler is sequential', async () => {
    const { reader, cache } = await synced([aConfigMap('a'), aConfigMap('b')]);
    const log: string[] = [];
    const finish: (() => void)[] = [];
    cache.subscribe(async (event) => {
      log.push(`begin ${event.object.metadata.name}`);
      await new Promise<void>((resolve) => finish.push(resolve));
      log.push(`end ${event.object.metadata.name}`);
    });
    reader.stream.send(added(aConfigMap('c')));

    for (let i = 0; i < 3; i++) {
      await settle();
      finish.shift()?.();
    }
    await settle();

    expect(log).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
  });

  it('a slow or throwing handler affects no other', async () => {
    const { reader, cache, logger } = await synced([aConfigMap('a')]);
    const events: string[] = [];
    const calls = { stuck: 0, throwing: 0 };
    cache.subscribe(() => {
      calls.stuck++;
      return new Promise<void>(() => undefined);
    });
    cache.subscribe(() => {
      calls.throwing++;
      throw new Error('no');
    });
    cache.subscribe((event) => void events.push(told(event)));

    reader.stream.send(added(aConfigMap('b')), deleted(aConfigMap('a')));
    await settle();

    expect(events).toEqual(['added a', 'added b', 'deleted a']);
    expect(calls).toEqual({ stuck: 1, throwing: 3 });
    expect(logger.messages('error')).toEqual(Array.from({ length: 3 }, () => 'cache handler failed'));
    expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['b']);
  });

  it('is not called again after its subscription was closed', async () => {
    const { reader, cache } = await synced([aConfigMap('a'), aConfigMap('b')]);
    const events: string[] = [];
    const subscription = cache.subscribe((event) => {
      events.push(told(event));
      subscription.close();
    });

    reader.stream.send(added(aConfigMap('c')));
    await settle();

    expect(events).toEqual(['added a']);
  });

  it('hasSynced only after the first full list', async () => {
    const { reader, cache } = setup();
    const waiting = cache.synced(AbortSignal.timeout(60_000)).then(() => 'synced');
    await settle();
    reader.stream.send(added(aConfigMap('a')));
    await settle();
    expect(cache.hasSynced).toBe(false);

    reader.stream.send(bookmark('10', 'end'));
    await settle();

    expect(cache.hasSynced).toBe(true);
    await expect(waiting).resolves.toBe('synced');
  });

  it('a handler is synced only after its initial adds were delivered', async () => {
    const { reader, cache } = setup();
    const finish: (() => void)[] = [];
    const early = cache.subscribe(() => new Promise<void>((resolve) => finish.push(resolve)));
    await settle();
    expect(early.hasSynced).toBe(false);

    reader.stream.send(added(aConfigMap('a')), added(aConfigMap('b')), bookmark('10', 'end'));
    await settle();
    const late = cache.subscribe(() => undefined);
    expect([early.hasSynced, late.hasSynced]).toEqual([false, false]);
    await settle();
    expect(late.hasSynced).toBe(true);
    finish.shift()?.();
    await settle();
    expect(early.hasSynced).toBe(false);
    finish.shift()?.();
    await settle();

    expect(early.hasSynced).toBe(true);
  });

  it('counts the one that is being delivered as undelivered', async () => {
    const { reader, cache } = setup({ namespaces: ['shop', 'other'] });
    const finish: (() => void)[] = [];
    const subscription = cache.subscribe(() => new Promise<void>((resolve) => finish.push(resolve)));
    await settle();
    const [other, shop] = reader.streams;
    shop?.send(added(aConfigMap('a')), bookmark('10', 'end'));
    await settle();
    other?.send(added(aConfigMap('b', { namespace: 'other' })), bookmark('10', 'end'));
    await settle();

    finish.shift()?.();
    await settle();

    expect([cache.hasSynced, subscription.hasSynced, finish.length]).toEqual([true, false, 1]);
  });

  it('can be waited for until its initial adds were delivered', async () => {
    const { reader, cache } = setup();
    const finish = Promise.withResolvers<undefined>();
    const subscription = cache.subscribe(() => finish.promise);
    const seen: string[] = [];
    void subscription.synced(AbortSignal.timeout(60_000)).then(() => seen.push('synced'));
    await settle();
    reader.stream.send(added(aConfigMap('a')), bookmark('10', 'end'));
    await settle();
    expect([cache.hasSynced, ...seen]).toEqual([true]);

    finish.resolve(undefined);
    await settle();

    expect([subscription.hasSynced, ...seen]).toEqual([true, 'synced']);
  });

  it('is waited for no longer than its signal says, nor when it is closed', async () => {
    const { cache } = setup();
    const subscription = cache.subscribe(() => undefined);
    const enough = new AbortController();
    const givenUp = expect(subscription.synced(enough.signal)).rejects.toThrow('enough');
    const waiting = expect(subscription.synced(AbortSignal.timeout(60_000))).rejects.toThrow(SubscriptionClosedError);

    enough.abort(new Error('enough'));
    subscription.close();

    await Promise.all([givenUp, waiting]);
  });

  it('is not waited for when its cache stops', async () => {
    const { cache, caches } = setup();
    const waiting = expect(cache.subscribe(() => undefined).synced(AbortSignal.timeout(60_000))).rejects.toThrow(CacheStoppedError);

    await caches.stop();

    await waiting;
  });

  it('is synced at once when there is nothing', async () => {
    const { cache } = await synced([]);

    expect(cache.subscribe(() => undefined).hasSynced).toBe(true);
  });

  it('Resync replays the cache as updates without an API call', async () => {
    const { reader, clock, cache } = await synced([aConfigMap('a')]);
    const events: CacheEvent<ConfigMap>[] = [];
    const subscription = cache.subscribe((event) => void events.push(event), { resyncPeriodMs: 30_000 });
    const requests = reader.streams.length + reader.lists.length;

    await clock.advance(60_000);
    subscription.close();
    await clock.advance(30_000);

    const replay = { type: 'updated', object: aConfigMap('a'), before: aConfigMap('a'), resync: true };
    expect(events).toEqual([{ type: 'added', object: aConfigMap('a'), initial: true }, replay, replay]);
    expect(reader.streams.length + reader.lists.length).toBe(requests);
  });
});

describe('objects in a cache', () => {
  const fields = { managedFields: [{ manager: 'kubectl' }] };

  it('A transform (strip managedFields, keep only what is used) runs before storing, on list and watch alike', async () => {
    const transform = (object: ConfigMap): ConfigMap => ({ ...object, data: { kept: object.data?.kept ?? '' } });
    const listed = aConfigMap('listed', {}, { kept: 'x', dropped: 'y' });
    const { reader, cache } = setup({ transform }, { listing: 'paged' }, { version: '10', items: [listed] });
    const events: CacheEvent<ConfigMap>[] = [];
    cache.subscribe((event) => void events.push(event));
    await settle();

    reader.stream.send(added(aConfigMap('watched', {}, { kept: 'x', dropped: 'y' })));
    await settle();

    expect(cache.list().map(({ data }) => data)).toEqual([{ kept: 'x' }, { kept: 'x' }]);
    expect(events.map(({ object }) => object.data)).toEqual([{ kept: 'x' }, { kept: 'x' }]);
  });

  it('have no managedFields unless a transform keeps them', async () => {
    const { reader, cache } = await synced([aConfigMap('listed', fields)]);

    reader.stream.send(added(aConfigMap('watched', fields)));
    await settle();

    expect(cache.list().map(({ metadata }) => 'managedFields' in metadata)).toEqual([false, false]);
  });

  it('cached objects cannot be changed by a caller', async () => {
    const { cache } = await synced([aConfigMap('a', { labels: { app: 'web' }, finalizers: ['x'] }, { key: 'value' })]);
    const object = cache.get({ namespace: 'shop', name: 'a' }) as ConfigMap;

    expect(() => (object.kind = 'Secret')).toThrow(TypeError);
    expect(() => (object.metadata.labels = {})).toThrow(TypeError);
    expect(() => Object.assign(object.metadata.labels ?? {}, { app: 'other' })).toThrow(TypeError);
    expect(() => object.metadata.finalizers?.push('y')).toThrow(TypeError);
    expect(() => delete object.data?.key).toThrow(TypeError);
    expect(cache.get({ namespace: 'shop', name: 'a' })).toEqual(
      aConfigMap('a', { labels: { app: 'web' }, finalizers: ['x'] }, { key: 'value' }),
    );
  });

  it('are handed out as they are, never copied', async () => {
    const { cache } = await synced([aConfigMap('a')]);

    expect(cache.get({ namespace: 'shop', name: 'a' })).toBe(cache.list()[0]);
  });

  it('stay as they were, loudly, while a transform throws', async () => {
    const transform = (object: ConfigMap): ConfigMap => {
      if (object.data?.poison) throw new Error('cannot read this');
      return object;
    };
    const { reader, cache, logger, caches } = await synced([aConfigMap('a')], { transform });

    reader.stream.send(modified(aConfigMap('a', { resourceVersion: '11' }, { poison: 'yes' })));
    await settle();

    expect(logger.entries.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { error: { name: 'TransformFailedError', message: expect.stringContaining('shop/a') } } },
    ]);
    expect(caches.health()).toMatchObject([{ resource: 'configmaps', consecutiveFailures: 1 }]);
    expect(cache.get({ namespace: 'shop', name: 'a' })).toEqual(aConfigMap('a'));
  });
});
