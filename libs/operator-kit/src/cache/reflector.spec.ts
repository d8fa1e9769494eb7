import { ConfigMap } from '../client';
import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { aConfigMap, added, apiError, bookmark, deleted, gone, modified, refused, throttled, tooLargeVersion } from './cache.fixture';
import { keyOf } from './frozen';
import type { Frozen } from './lister';
import { Reflector, type ReflectorOptions, type ReflectorSink } from './reflector';
import { ScriptedReader } from './scripted-reader.fixture';
import { silentLogger } from '../logging';

class Mirror implements ReflectorSink<ConfigMap> {
  readonly objects = new Map<string, Frozen<ConfigMap>>();
  readonly calls: string[] = [];

  prepare(object: ConfigMap): Frozen<ConfigMap> {
    return object;
  }

  replace(objects: Iterable<Frozen<ConfigMap>>): void {
    this.objects.clear();
    for (const object of objects) this.objects.set(keyOf(object), object);
    this.calls.push(`replace ${this.names.join(' ')}`.trim());
  }

  put(object: Frozen<ConfigMap>): void {
    this.objects.set(keyOf(object), object);
    this.calls.push(`put ${keyOf(object)}`);
  }

  remove(object: Frozen<ConfigMap>): void {
    this.objects.delete(keyOf(object));
    this.calls.push(`remove ${keyOf(object)}`);
  }

  get names(): string[] {
    return [...this.objects.values()].map(({ metadata }) => metadata.name ?? '');
  }
}

function setup(options: ReflectorOptions = { listing: 'paged' }) {
  const reader = new ScriptedReader();
  const clock = new FakeClock();
  const mirror = new Mirror();
  const metrics = new KitMetrics();
  const random = { value: 0 };
  const reflector = new Reflector(
    ConfigMap,
    { namespace: 'shop' },
    mirror,
    { reader, clock, metrics, logger: silentLogger, random: () => random.value },
    options,
  );
  const abort = new AbortController();
  let ended = false;
  const start = async () => {
    void reflector.run(abort.signal).then(() => (ended = true));
    await settle();
  };
  const stop = async () => {
    abort.abort(new Error('stopped'));
    await settle();
  };
  return { reader, clock, mirror, metrics, random, reflector, start, stop, hasEnded: () => ended };
}

/** A reflector that has listed version 10 in pages and is watching. */
async function watching(options?: ReflectorOptions) {
  const world = setup(options);
  world.reader.answers.push({ version: '10', items: [aConfigMap('a', { resourceVersion: '7' })] });
  await world.start();
  return world;
}

async function restarts(metrics: KitMetrics): Promise<Record<string, number>> {
  const { values } = await metrics.watchRestarts.get();
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.reason), value]));
}

describe('Reflector listing in pages', () => {
  it('First list is paged (500) and asks for the cached version', async () => {
    const { reader, mirror, start } = setup();
    reader.answers.push({ continue: 'p2', items: [aConfigMap('a')] }, { version: '10', items: [aConfigMap('b')] });

    await start();

    expect(reader.lists).toMatchObject([
      { namespace: 'shop', limit: 500, resourceVersion: '0' },
      { limit: 500, continue: 'p2' },
    ]);
    expect(reader.lists[1]).not.toHaveProperty('resourceVersion');
    expect(mirror.calls).toEqual(['replace a b']);
    expect(reader.stream.options).toMatchObject({ namespace: 'shop', resourceVersion: '10' });
  });

  it('a relist asks for the last seen version', async () => {
    const { reader } = await watching();
    reader.stream.send(modified(aConfigMap('a', { resourceVersion: '12' })));
    await settle();

    reader.answers.push({ version: '30' });
    reader.stream.fail(gone());
    await settle();

    expect(reader.lists.at(-1)).toMatchObject({ limit: 500, resourceVersion: '12', resourceVersionMatch: 'NotOlderThan' });
    expect(reader.stream.options.resourceVersion).toBe('30');
  });

  it('410 on list: retry at once from "most recent"', async () => {
    const { reader, mirror, start } = setup();
    reader.answers.push(gone(), { version: '10', items: [aConfigMap('a')] });

    await start();

    expect(reader.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', undefined]);
    expect(mirror.names).toEqual(['a']);
  });

  it('410 on watch: relist, never stop', async () => {
    const { reader, clock, mirror, hasEnded } = await watching();

    for (let round = 1; round <= 5; round++) {
      reader.answers.push({ version: `${10 * round}`, items: [aConfigMap(`round-${round}`)] });
      reader.stream.fail(gone());
      await clock.advance(30_000);
    }

    expect(mirror.names).toEqual(['round-5']);
    expect(reader.lists).toHaveLength(6);
    expect(hasEnded()).toBe(false);
    expect(reader.stream.open).toBe(true);
  });

  it('"too large resource version": back to "most recent"', async () => {
    const { reader, mirror } = await watching();
    reader.answers.push(tooLargeVersion(), { version: '3', items: [aConfigMap('restored')] });

    reader.stream.fail(gone());
    await settle();

    expect(reader.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '10', undefined]);
    expect(mirror.names).toEqual(['restored']);
    expect(reader.stream.options.resourceVersion).toBe('3');
  });

  it('goes back to the most recent version when a watch asks for one that the server has not seen', async () => {
    const { reader } = await watching();
    reader.answers.push({ version: '3' });

    reader.stream.fail(tooLargeVersion());
    await settle();

    expect(reader.lists.at(-1)?.resourceVersion).toBeUndefined();
    expect(reader.stream.options.resourceVersion).toBe('3');
  });

  it('an expired continue token: full list', async () => {
    const { reader, mirror, start } = setup();
    reader.answers.push({ continue: 'p2', items: [aConfigMap('old')] }, gone(), {
      version: '10',
      items: [aConfigMap('a'), aConfigMap('b')],
    });

    await start();

    expect(reader.lists[2]).not.toHaveProperty('limit');
    expect(reader.lists[2]).not.toHaveProperty('continue');
    expect(mirror.calls).toEqual(['replace a b']);
  });

  it('waits before it repeats a list that failed, and goes on trying', async () => {
    const { reader, clock, mirror, start } = setup();
    reader.answers.push(apiError(500, 'InternalError'), refused(), apiError(403, 'Forbidden'), { version: '10', items: [aConfigMap('a')] });

    await start();
    expect(reader.lists).toHaveLength(1);
    await clock.advance(800 + 1_600 + 3_200);

    expect(reader.lists).toHaveLength(4);
    expect(mirror.names).toEqual(['a']);
  });

  it('does not hammer a server that calls every fresh version gone', async () => {
    const { reader, clock } = await watching();
    for (let i = 0; i < 20; i++) {
      reader.answers.push({ version: `${100 + i}` });
      reader.watchFailures.push(gone());
    }

    reader.stream.fail(gone());
    await settle();
    expect(reader.lists.length).toBeLessThanOrEqual(2);
    await clock.advance(10_000);

    expect(reader.lists.length).toBeLessThan(8);
  });

  it('counts the time of a full list', async () => {
    const { metrics } = await watching();

    const { values } = await metrics.listSeconds.get();

    expect(values).toContainEqual(expect.objectContaining({ metricName: 'list_duration_seconds_count', value: 1 }));
  });
});

describe('Reflector watching', () => {
  it('429 or connection refused on watch: back off (honour Retry-After), no relist', async () => {
    const { reader, clock } = await watching();

    reader.watchFailures.push(refused(), throttled(20));
    reader.stream.fail(throttled(7));
    await clock.advance(6_999);
    expect(reader.streams).toHaveLength(1);
    await clock.advance(1);
    expect(reader.streams).toHaveLength(2);
    await clock.advance(1_600);
    expect(reader.streams).toHaveLength(3);
    await clock.advance(19_999);
    expect(reader.streams).toHaveLength(3);
    await clock.advance(1);

    expect(reader.streams).toHaveLength(4);
    expect(reader.stream.options.resourceVersion).toBe('10');
    expect(reader.lists).toHaveLength(1);
  });

  it('5xx mid-watch: retried', async () => {
    const { reader, clock, mirror } = await watching();
    reader.stream.send(added(aConfigMap('b', { resourceVersion: '11' })));
    reader.stream.fail(apiError(500, 'InternalError'));
    await clock.advance(800);

    reader.stream.send(added(aConfigMap('c', { resourceVersion: '12' })));
    await settle();

    expect(reader.streams[1]?.options.resourceVersion).toBe('11');
    expect(mirror.names).toEqual(['a', 'b', 'c']);
    expect(reader.lists).toHaveLength(1);
  });

  it.each([0, 200, 400, 401, 403, 404, 409, 410, 418, 429, 500, 503, 504])('tries again after an ERROR event of code %i', async (code) => {
    const { reader, clock, metrics } = await watching();
    reader.answers.push({ version: '20' });

    reader.stream.fail(apiError(code, ''));
    await clock.advance(800);

    expect(reader.streams).toHaveLength(2);
    expect(reader.stream.open).toBe(true);
    expect(await restarts(metrics)).not.toHaveProperty('closed');
  });

  it('ERROR events of any code are failures, not silence', async () => {
    const { reader, reflector, clock } = await watching();

    reader.stream.fail(apiError(418, 'Teapot'));
    await settle();

    expect(reflector.health).toMatchObject({ consecutiveFailures: 1, lastError: expect.stringContaining('418') });
    expect(clock.pendingTimers).toBe(1);
  });

  it('lists again when the server fails at one version over and over', async () => {
    const { reader, clock } = await watching();
    reader.watchFailures.push(...Array.from({ length: 5 }, () => apiError(500, 'InternalError')));
    reader.answers.push({ version: '40' });

    reader.stream.fail(apiError(500, 'InternalError'));
    await clock.advance(120_000);

    expect(reader.lists).toHaveLength(2);
    expect(reader.stream.options.resourceVersion).toBe('40');
  });

  it('Watch asks for bookmarks and a random 5-10 min server timeout', async () => {
    const { reader, random } = await watching();
    random.value = 0.999999;
    reader.stream.send(bookmark('11'));
    reader.stream.close();
    await settle();

    expect(reader.streams.map(({ options }) => options)).toMatchObject([
      { allowWatchBookmarks: true, timeoutSeconds: 300 },
      { allowWatchBookmarks: true, timeoutSeconds: 599 },
    ]);
  });

  it('a bookmark advances the version and emits nothing', async () => {
    const { reader, mirror } = await watching();
    const before = [...mirror.calls];

    reader.stream.send(bookmark('25'));
    reader.stream.close();
    await settle();

    expect(mirror.calls).toEqual(before);
    expect(reader.stream.options.resourceVersion).toBe('25');
  });

  it('A stream that is silent past its idle limit is declared dead and resumed from the last version', async () => {
    const { reader, clock, metrics } = await watching({ listing: 'paged', idleLimitMs: 60_000 });
    await clock.advance(50_000);
    reader.stream.send(bookmark('11'));

    await clock.advance(59_999);
    expect(reader.streams).toHaveLength(1);
    await clock.advance(1);

    expect(reader.streams.map(({ open }) => open)).toEqual([false, true]);
    expect(reader.stream.options.resourceVersion).toBe('11');
    expect(reader.lists).toHaveLength(1);
    expect(await restarts(metrics)).toEqual({ idle: 1 });
  });

  it('Clean close: re-watch from the last version without a list', async () => {
    const { reader, clock, mirror, metrics } = await watching();
    reader.stream.send(deleted(aConfigMap('a', { resourceVersion: '15' })));
    await settle();

    reader.stream.close();
    await settle();

    expect(mirror.calls.at(-1)).toBe('remove shop/a');
    expect(reader.stream.options.resourceVersion).toBe('15');
    expect(reader.streams).toHaveLength(2);
    expect(reader.lists).toHaveLength(1);
    expect(await restarts(metrics)).toEqual({ closed: 1 });
    expect(clock.pendingTimers).toBe(1);
  });

  it('A close within 1 s with no event is an error and backs off', async () => {
    const { reader, clock, reflector } = await watching();
    await clock.advance(999);

    reader.stream.close();
    await clock.advance(799);
    expect(reader.streams).toHaveLength(1);
    expect(reflector.health.consecutiveFailures).toBe(1);
    await clock.advance(1);

    expect(reader.streams).toHaveLength(2);
    expect(reader.lists).toHaveLength(1);
  });

  it('takes a close after a second for the normal end of a watch', async () => {
    const { reader, clock, reflector } = await watching();
    await clock.advance(1_000);

    reader.stream.close();
    await settle();

    expect(reader.streams).toHaveLength(2);
    expect(reflector.health.consecutiveFailures).toBe(0);
  });

  it('tells since when it has not heard from the server', async () => {
    const { reader, clock, reflector } = await watching();
    await clock.advance(5_000);
    reader.stream.send(bookmark('11'));
    await clock.advance(0);
    const heardMs = clock.now();

    reader.stream.fail(refused());
    await clock.advance(1_000);

    expect(reflector.health).toMatchObject({ synced: true, lastContactMs: heardMs, consecutiveFailures: 1 });
  });
});

describe('Reflector with a streaming list', () => {
  it('Streaming list (watch-list) where the server has it: synced only at the initial-events-end bookmark, the store is replaced atomically, the same stream goes on', async () => {
    const { reader, mirror, reflector, start } = setup({});
    await start();
    reader.stream.send(added(aConfigMap('a')), added(aConfigMap('b')), added(aConfigMap('c')));
    reader.stream.send(modified(aConfigMap('b', { resourceVersion: '2' })), deleted(aConfigMap('c')), bookmark('8'));
    await settle();
    expect(mirror.calls).toEqual([]);
    expect(reflector.health.synced).toBe(false);

    reader.stream.send(bookmark('9', 'end'), added(aConfigMap('d')));
    await settle();

    expect(reflector.health.synced).toBe(true);
    expect(mirror.calls).toEqual(['replace a b', 'put shop/d']);
    expect(mirror.objects.get('shop/b')?.metadata.resourceVersion).toBe('2');
    expect(reader.streams).toHaveLength(1);
    expect(reader.stream.options).toMatchObject({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    });
  });

  it.each([400, 405, 406, 415, 422, 501])('lists in pages when the server answers the request for a stream with %i', async (code) => {
    const { reader, mirror, start } = setup({});
    reader.streamingFailures.push(apiError(code, ''));
    reader.answers.push({ version: '10', items: [aConfigMap('a')] });

    await start();

    expect(mirror.names).toEqual(['a']);
    expect(reader.stream.options).toMatchObject({ resourceVersion: '10' });
  });

  it('where refused, fall back to paged list', async () => {
    const { reader, mirror, start } = setup({});
    reader.streamingFailures.push(apiError(422, 'Invalid'));
    reader.answers.push({ version: '10', items: [aConfigMap('a')] }, { version: '20', items: [aConfigMap('b')] });

    await start();
    reader.stream.fail(gone());
    await settle();

    expect(mirror.calls).toEqual(['replace a', 'replace b']);
    expect(reader.streams.map(({ options }) => options.sendInitialEvents)).toEqual([true, undefined, undefined]);
  });

  it('lists in pages when the server ignores the wish and never ends the list', async () => {
    const { reader, clock, mirror, start } = setup({});
    reader.answers.push({ version: '10', items: [aConfigMap('a'), aConfigMap('b')] });
    await start();
    reader.stream.send(added(aConfigMap('a')));

    await clock.advance(30_000);

    expect(mirror.calls).toEqual(['replace a b']);
    expect(reader.stream.options.sendInitialEvents).toBeUndefined();
  });

  it('keeps the old state until a new streaming list is complete', async () => {
    const { reader, mirror, start } = setup({});
    await start();
    reader.stream.send(added(aConfigMap('a')), bookmark('9', 'end'));
    await settle();

    reader.stream.fail(gone());
    await settle();
    reader.stream.send(added(aConfigMap('b')));
    await settle();
    expect(mirror.names).toEqual(['a']);
    expect(reader.stream.options).toMatchObject({ sendInitialEvents: true, resourceVersion: '9' });
    reader.stream.send(bookmark('12', 'end'));
    await settle();

    expect(mirror.names).toEqual(['b']);
  });

  it('begins again after a break half way, keeping nothing of the first half', async () => {
    const { reader, clock, mirror, start } = setup({});
    await start();
    reader.stream.send(added(aConfigMap('half')));
    reader.stream.fail(refused());
    await clock.advance(800);

    reader.stream.send(added(aConfigMap('a')), bookmark('9', 'end'));
    await settle();

    expect(mirror.calls).toEqual(['replace a']);
    expect(reader.lists).toEqual([]);
  });
});

describe('Reflector at its end', () => {
  it('Stop during list, watch or backoff leaves no request and no timer behind', async () => {
    const listing = setup();
    await listing.start();
    const streaming = setup({});
    await streaming.start();
    const watch = await watching();
    const waiting = await watching();
    waiting.reader.stream.fail(refused());
    await settle();
    const inFlight = [listing, streaming, watch].map(({ reader }) => reader.openRequests);
    expect([...inFlight, waiting.clock.pendingTimers]).toEqual([1, 1, 1, 1]);

    for (const world of [listing, streaming, watch, waiting]) await world.stop();

    for (const { reader, clock, hasEnded } of [listing, streaming, watch, waiting]) {
      expect([hasEnded(), reader.openRequests, clock.pendingTimers]).toEqual([true, 0, 0]);
    }
  });
});
