import { type FaultSwitches, KubeSim } from '@elasti/kube-sim';
import {
  type CacheEvent,
  type Clock,
  ConfigMap,
  KitMetrics,
  KubeClient,
  Namespace,
  type ResourceCache,
  SharedCache,
  formatRef,
  refOf,
  silentLogger,
  systemClock,
} from '@elasti/operator-kit';
import { eventually } from '../conformance/eventually';

/** A hundred seconds in one: what the cache waits for between tries does not hold up the test. */
const fastClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 100,
  after: (delayMs, callback) => systemClock.after(delayMs / 100, callback),
};

type State = Record<string, string | undefined>;

function stateOf(objects: readonly { readonly metadata: object }[]): State {
  const entries = (objects as ConfigMap[]).map((object) => [formatRef(refOf(object)), object.metadata.resourceVersion] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)));
}

/** What somebody believes who knows nothing but the events. */
class Witness {
  private readonly believed = new Map<string, CacheEvent<ConfigMap>['object']>();
  readonly surprises: string[] = [];

  constructor(
    cache: ResourceCache<ConfigMap>,
    private readonly delay: () => Promise<void> | undefined = () => undefined,
  ) {
    cache.subscribe((event) => this.hear(event));
  }

  get state(): State {
    return stateOf([...this.believed.values()]);
  }

  private async hear(event: CacheEvent<ConfigMap>): Promise<void> {
    await this.delay();
    const key = `${event.object.metadata.namespace}/${event.object.metadata.name}`;
    if (this.believed.has(key) === (event.type === 'added')) this.surprises.push(`${event.type} ${key}`);
    if (event.type === 'deleted') this.believed.delete(key);
    else this.believed.set(key, event.object);
  }
}

describe('a cache of an API server that fails', () => {
  let sim: KubeSim;
  let client: KubeClient;
  let open: SharedCache[];
  const metrics = new KitMetrics();
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);

  beforeEach(async () => {
    process.on('unhandledRejection', onRejection);
    sim = await KubeSim.start();
    client = KubeClient.forServer({ server: sim.url });
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    open = [];
  });

  afterEach(async () => {
    await Promise.all(open.map((caches) => caches.stop()));
    await client.close();
    await sim.stop();
    process.off('unhandledRejection', onRejection);
  });

  function cachesListing(listing: 'streamed' | 'paged'): SharedCache {
    const caches = new SharedCache({ reader: client, clock: fastClock, logger: silentLogger, metrics }, { listing, idleLimitMs: 60_000 });
    open.push(caches);
    return caches;
  }

  async function serverState(): Promise<State> {
    const objects: ConfigMap[] = [];
    for await (const object of client.listAll(ConfigMap)) objects.push(object);
    return stateOf(objects);
  }

  let change = 0;
  /** Creates, changes, deletes and creates again, in two namespaces. */
  async function changeThings(count = 12): Promise<void> {
    for (let i = 0; i < count; i++) {
      change++;
      const namespace = change % 2 ? 'shop' : 'default';
      const name = `item-${(change * 7) % 23}`;
      const existing = await client.find(ConfigMap, { namespace, name });
      const fresh: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { change: `${change}` } };
      if (!existing) await client.create(ConfigMap, fresh);
      else if (change % 3 === 0) await client.delete(ConfigMap, { namespace, name });
      else if (change % 5 === 0) {
        await client.delete(ConfigMap, { namespace, name });
        await client.create(ConfigMap, fresh);
      } else await client.replace(ConfigMap, { ...existing, data: fresh.data });
    }
  }

  const reads = ({ verb, resource, path }: { verb: string; resource: string; path: string }) =>
    resource === 'configmaps' && (verb === 'watch' || (verb === 'list' && path.startsWith('/api/v1/configmaps')));

  const troubles: [string, (faults: FaultSwitches) => void | Promise<void>][] = [
    ['watches dropped', (faults) => faults.dropWatches()],
    ['watches ended', (faults) => faults.endWatches()],
    ['watches silent', (faults) => faults.stallWatches()],
    ['410 on watches', (faults) => faults.failWatches({ code: 410, reason: 'Expired', message: 'too old resource version' })],
    ['500 on watches', (faults) => faults.failWatches({ code: 500, reason: 'InternalError', message: 'etcd went away' })],
    [
      'history compacted while nobody watched',
      (faults) => {
        faults.inject({ effect: { kind: 'server-error', code: 503 }, when: reads, times: 2 });
        faults.dropWatches();
      },
    ],
    [
      'versions expired on every read',
      (faults) => {
        faults.inject({ effect: { kind: 'expired' }, when: reads, times: 5 });
        faults.dropWatches();
      },
    ],
    [
      'load shed',
      (faults) => {
        faults.inject({ effect: { kind: 'too-many-requests', retryAfterSeconds: 2 }, when: reads, times: 4 });
        faults.dropWatches();
      },
    ],
    [
      'connections cut',
      (faults) => {
        faults.inject({ effect: { kind: 'cut' }, when: reads, times: 4 });
        faults.dropWatches();
      },
    ],
    [
      'slow answers',
      (faults) => {
        faults.inject({ effect: { kind: 'latency', delayMs: 20 }, when: reads, times: 4 });
        faults.endWatches();
      },
    ],
    [
      'server stopped and started',
      async (faults) => {
        await faults.refuseConnections();
        await eventually(() => {
          const failures = open.flatMap((caches) => caches.health()).map(({ consecutiveFailures }) => consecutiveFailures);
          expect(Math.min(...failures)).toBeGreaterThan(0);
        });
        await faults.acceptConnections();
      },
    ],
  ];

  it('agrees with the server in the end, misses no event and never stops, whatever fails', async () => {
    const caches = [cachesListing('streamed'), cachesListing('paged')];
    const cached = caches.map((shared) => shared.acquire(ConfigMap));
    const slow = () => new Promise<void>((resolve) => setImmediate(resolve));
    const witnesses = cached.flatMap((cache) => [new Witness(cache), new Witness(cache, slow)]);
    const agree = () =>
      eventually(async () => {
        const truth = await serverState();
        expect(cached.map((cache) => stateOf(cache.list()))).toEqual(cached.map(() => truth));
        expect(witnesses.map(({ state }) => state)).toEqual(witnesses.map(() => truth));
      });
    await changeThings();
    await agree();
    const startedMs = fastClock.monotonic();

    for (const [name, cause] of troubles) {
      await changeThings(4);
      await cause(sim.faults);
      await changeThings();
      if (name.includes('compacted')) sim.compact();
      await changeThings();
      await agree();
    }
    for (const [, cause] of [...troubles, ...troubles.toReversed()]) {
      await cause(sim.faults);
      await changeThings(3);
    }
    sim.faults.clear();
    await agree();

    expect(fastClock.monotonic() - startedMs).toBeGreaterThan(60_000);
    expect(witnesses.flatMap(({ surprises }) => surprises)).toEqual([]);
    expect(caches.flatMap((shared) => shared.health())).toMatchObject([{ synced: true }, { synced: true }]);
    expect(await restartReasons(metrics)).toEqual(
      expect.arrayContaining(['closed', 'gone', 'idle', 'server_error', 'throttled', 'unreachable']),
    );
    expect(rejections).toEqual([]);
  }, 60_000);

  it('asks the server once for everybody, and leaves no connection when the last user is gone', async () => {
    const caches = cachesListing('streamed');
    await changeThings();

    const users = Array.from({ length: 20 }, () => caches.acquire(ConfigMap));
    await Promise.all(users.map((user) => user.synced(AbortSignal.timeout(10_000))));
    expect(sim.requests.of('watch', 'configmaps') + sim.requests.of('list', 'configmaps')).toBe(1);
    for (const user of users) user.release();

    await eventually(() => expect(openWatches(sim)).toBe(0));
  });

  it('sees only its own namespaces', async () => {
    const caches = cachesListing('streamed');
    const cache = caches.acquire(ConfigMap, { namespaces: ['shop', 'kube-system'] });
    await cache.synced(AbortSignal.timeout(10_000));

    await changeThings(30);

    await eventually(async () => {
      const truth = await serverState();
      const own = Object.fromEntries(Object.entries(truth).filter(([key]) => key.startsWith('shop/')));
      expect(stateOf(cache.list())).toEqual(own);
    });
  });
});

async function restartReasons(metrics: KitMetrics): Promise<string[]> {
  const { values } = await metrics.watchRestarts.get();
  return values.map(({ labels }) => String(labels.reason));
}

/** Counted by asking every open watch for a sign of life. */
function openWatches(sim: KubeSim): number {
  let count = 0;
  sim.faults.sendBookmarks(() => {
    count++;
    return false;
  });
  return count;
}
