import { ConfigMap, KitMetrics, SharedCache, silentLogger, systemClock } from '@elasti/operator-kit';
import type { CacheEvent, CacheOptions, KubeClient, ReflectorOptions, ResourceCache } from '@elasti/operator-kit';
import { eventually } from './eventually';
import { useServer } from './harness';
import { InterruptedReader } from './interrupted-reader';

describe("the kit's cache", () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);
  const opened: SharedCache[] = [];
  let client: KubeClient;

  beforeAll(() => {
    client = server.newClient();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((cache) => cache.stop()));
  });

  const open = (reader: KubeClient | InterruptedReader = client, options?: ReflectorOptions) => {
    const cache = new SharedCache({ reader, clock: systemClock, logger: silentLogger, metrics: new KitMetrics() }, options);
    opened.push(cache);
    return cache;
  };
  /** Everything of one case carries its label, so that cases do not see each other. */
  const scopeOf = (label: string): CacheOptions<ConfigMap> => ({ namespace: server.namespace, labelSelector: `case=${label}` });
  const given = (label: string, name: string, more: object = {}) =>
    configMaps.given({ metadata: { name, labels: { case: label }, ...more } });
  const synced = async (cache: ResourceCache<ConfigMap>) => {
    await cache.synced(AbortSignal.timeout(30_000));
    return cache;
  };
  const record = (cache: ResourceCache<ConfigMap>) => {
    const events: CacheEvent<ConfigMap>[] = [];
    cache.subscribe((event) => void events.push(event));
    return events;
  };
  const namesIn = (cache: ResourceCache<ConfigMap>) =>
    cache
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  const told = (events: CacheEvent<ConfigMap>[]) => events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`);

  it.each(['streamed', 'paged'] as const)('holds what there is once it is synced, %s', async (listing) => {
    await given(`list-${listing}`, `${listing}-1`);
    await given(`list-${listing}`, `${listing}-2`);

    const cache = await synced(open(client, { listing }).acquire(ConfigMap, scopeOf(`list-${listing}`)));

    expect(cache.hasSynced).toBe(true);
    expect(namesIn(cache)).toEqual([`${listing}-1`, `${listing}-2`]);
    expect(cache.get({ namespace: server.namespace, name: `${listing}-1` })).toMatchObject({ kind: 'ConfigMap' });
  });

  it.each(['streamed', 'paged'] as const)('tells of what is made, changed and deleted, %s', async (listing) => {
    const cache = await synced(open(client, { listing }).acquire(ConfigMap, scopeOf(`life-${listing}`)));
    const events = record(cache);
    const name = `life-${listing}`;

    await given(`life-${listing}`, name);
    await configMaps.patch(name, 'merge', { data: { a: '1' } });
    await configMaps.delete(name);

    await eventually(() => expect(told(events)).toEqual([`added ${name}`, `updated ${name}`, `deleted ${name}`]));
    expect(events[2]).toMatchObject({ finalStateUnknown: false });
    expect(cache.list()).toEqual([]);
  });

  it('gives a handler that comes late everything there is', async () => {
    await given('late', 'late-1');
    await given('late', 'late-2');
    const cache = await synced(open().acquire(ConfigMap, scopeOf('late')));

    const events = record(cache);

    await eventually(() => expect(told(events).sort()).toEqual(['added late-1', 'added late-2']));
    expect(events.every((event) => event.type === 'added' && event.initial)).toBe(true);
  });

  it('shows both uids when an object is deleted and made again', async () => {
    const first = await given('again', 'again');
    const cache = await synced(open().acquire(ConfigMap, scopeOf('again')));
    const events = record(cache);

    await configMaps.delete('again');
    const second = await given('again', 'again');

    await eventually(() => expect(cache.get({ namespace: server.namespace, name: 'again' })?.metadata.uid).toBe(second.metadata.uid));
    const uids = events.flatMap((event) => [event.object.metadata.uid, ...(event.type === 'updated' ? [event.before.metadata.uid] : [])]);
    expect(new Set(uids)).toEqual(new Set([first.metadata.uid, second.metadata.uid]));
  });

  it('tells an object that leaves the selection as deleted', async () => {
    await given('leaving', 'leaving');
    const cache = await synced(open().acquire(ConfigMap, scopeOf('leaving')));
    const events = record(cache);

    await configMaps.patch('leaving', 'merge', { metadata: { labels: { case: 'left' } } });

    await eventually(() => expect(told(events)).toEqual(['added leaving', 'deleted leaving']));
  });

  it('files objects under indexes and owners', async () => {
    const owner = await given('indexed', 'owner');
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' };
    await given('indexed', 'owned', { ownerReferences: [reference], annotations: { colour: 'red' } });
    const indexes = {
      colour: (object: { metadata: { annotations?: { readonly colour?: string } } }) => [object.metadata.annotations?.colour ?? 'none'],
    };

    const cache = await synced(open().acquire(ConfigMap, { ...scopeOf('indexed'), indexes }));

    expect(cache.byIndex('colour', 'red').map(({ metadata }) => metadata.name)).toEqual(['owned']);
    expect(cache.getOwnedBy(owner.metadata.uid ?? '').map(({ metadata }) => metadata.name)).toEqual(['owned']);
  });

  it('keeps no managedFields, from lists and watches alike', async () => {
    await given('slim', 'slim-listed');
    const cache = await synced(open().acquire(ConfigMap, scopeOf('slim')));

    await given('slim', 'slim-watched');

    await eventually(() => expect(cache.list()).toHaveLength(2));
    for (const { metadata } of cache.list()) expect(metadata).not.toHaveProperty('managedFields');
  });

  it('makes up by a new list for what it missed after its version was forgotten', async () => {
    const reader = new InterruptedReader(client);
    await given('relist', 'relist-stays');
    await given('relist', 'relist-goes');
    const cache = await synced(open(reader).acquire(ConfigMap, scopeOf('relist')));
    const events = record(cache);

    reader.forget();
    await configMaps.delete('relist-goes');
    await given('relist', 'relist-comes');
    reader.goOn();

    await eventually(() => expect(told(events)).toEqual(expect.arrayContaining(['deleted relist-goes', 'added relist-comes'])));
    expect(events.find(({ type }) => type === 'deleted')).toMatchObject({ finalStateUnknown: true });
    expect(namesIn(cache)).toEqual(['relist-comes', 'relist-stays']);
  });

  it('resumes a broken watch where it was, without a new list', async () => {
    const reader = new InterruptedReader(client);
    await given('resume', 'resume-1');
    const cache = await synced(open(reader).acquire(ConfigMap, scopeOf('resume')));
    const events = record(cache);

    reader.breakOff();
    await given('resume', 'resume-2');
    await configMaps.delete('resume-1');
    reader.goOn();

    await eventually(() => expect(told(events)).toEqual(['added resume-1', 'added resume-2', 'deleted resume-1']));
    expect(events[2]).toMatchObject({ finalStateUnknown: false });
    expect(reader.streamingLists).toBe(1);
  });
});
