import { routesLabel } from '@elasti/api';
import { KubeSim } from '@elasti/kube-sim';
import { ConfigMap, KitMetrics, KubeClient, Namespace, SharedCache, silentLogger, systemClock } from '@elasti/operator-kit';
import { formatRouteKey, isInUse, type Route, RouteLedger } from '../../apps/operator/src/routes';
import type { PortRange } from '../../apps/operator/src/routes/port-range';
import { buildShard, parseShard } from '../../apps/operator/src/routes/route-shard';
import type { ShardAccess } from '../../apps/operator/src/routes/shard.ops';
import { type Actor, inEveryOrder, Turnstile } from '../../apps/operator/src/routes/schedules.fixture';
import { eventually } from '../conformance/eventually';

const { signal } = new AbortController();
const labelSelector = `${routesLabel}=true`;
/** Three ports at the end of one ConfigMap and three at the beginning of the next. */
const sixPorts: PortRange = { first: 22_497, last: 22_502 };

describe('the ledger of routes on an API server', () => {
  let sim: KubeSim;
  let client: KubeClient;
  let open: SharedCache[];
  const metrics = new KitMetrics();

  beforeEach(async () => {
    sim = await KubeSim.start();
    client = KubeClient.forServer({ server: sim.url });
    await addNamespace('elasti');
    open = [];
  });

  afterEach(async () => {
    await Promise.all(open.map((caches) => caches.stop()));
    await client.close();
    await sim.stop();
  });

  const addNamespace = (name: string) => client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  /** A process of its own: ledger, cache and all. */
  async function aProcess({ kube = client, namespace = 'elasti', range }: Partial<ProcessOptions> = {}) {
    const caches = new SharedCache({ reader: client, clock: systemClock, logger: silentLogger, metrics });
    open.push(caches);
    const cache = caches.acquire(ConfigMap, { namespace, labelSelector });
    await cache.synced(signal);
    const ledger = new RouteLedger({ kube, routeShards: cache, namespace, clock: systemClock, logger: silentLogger, range });
    return { ledger, cache, stop: () => caches.stop() };
  }

  async function portsInUse(namespace = 'elasti'): Promise<Map<string, number[]>> {
    const ports = new Map<string, number[]>();
    const { items } = await client.list(ConfigMap, { namespace, labelSelector });
    for (const [port, record] of items.flatMap((item) => [...parseShard(item).records])) {
      if (isInUse(record)) ports.set(formatRouteKey(record), [...(ports.get(formatRouteKey(record)) ?? []), port]);
    }
    return ports;
  }

  const writes = () => sim.requests.of('create', 'configmaps') + sim.requests.of('update', 'configmaps');

  const ensureAll = (ledger: RouteLedger, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => ledger.ensure('shop', `web-${index}`, [{ port: 80 }], signal)));

  it('allocates for 5,000 Services in a handful of writes, and a restarted process asks for nothing', async () => {
    const first = await aProcess();
    sim.requests.reset();

    const granted = await ensureAll(first.ledger, 5_000);

    expect(new Set(granted.map(({ routes }) => routes[0]?.resolverPort)).size).toBe(5_000);
    expect(writes()).toBeLessThanOrEqual(8);

    const second = await aProcess();
    sim.requests.reset();
    const startedMs = performance.now();

    await expect(ensureAll(second.ledger, 5_000)).resolves.toEqual(granted);

    expect(sim.requests.total).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  }, 60_000);

  it('sees its own write before its cache does, and what comes after when the cache has caught up', async () => {
    const { ledger, cache } = await aProcess();
    sim.faults.stallWatches();
    await ledger.ensure('shop', 'web', [{ port: 80 }], signal);
    sim.requests.reset();
    await expect(ledger.ensure('shop', 'web', [{ port: 80 }], signal)).resolves.toMatchObject({ routes: [{ resolverPort: 20_000 }] });
    expect(sim.requests.total).toBe(0);
    sim.faults.resumeWatches();
    const shard = await client.get(ConfigMap, { namespace: 'elasti', name: 'elasti-routes-0' });
    await client.replace(ConfigMap, { ...shard, data: { 20_005: JSON.stringify({ namespace: 'shop', service: 'web', port: 80 }) } });
    await eventually(() => {
      if (!cache.list().some(({ data }) => data?.['20005'])) throw new Error('the cache has not seen it');
      return Promise.resolve();
    });

    await expect(ledger.ensure('shop', 'web', [{ port: 80 }], signal)).resolves.toMatchObject({ routes: [{ resolverPort: 20_005 }] });
  });

  it('writes a ConfigMap again that somebody deleted, with the same ports', async () => {
    const { ledger, cache } = await aProcess();
    await ensureAll(ledger, 20);
    await eventually(() => {
      if (cache.list().length < 4) throw new Error('the cache has not seen it');
      return Promise.resolve();
    });
    const before = await portsInUse();
    await client.delete(ConfigMap, { namespace: 'elasti', name: 'elasti-routes-0' });
    await eventually(() => {
      if (cache.list().length > 3) throw new Error('the cache has not seen it');
      return Promise.resolve();
    });

    await eventually(async () => {
      await ledger.ensure('shop', 'web-7', [{ port: 80 }], signal);
      expect(await portsInUse()).toEqual(before);
    });
  });

  it.each([500, 503] as const)('passes a %d on to the caller, and succeeds when asked again', async (code) => {
    const { ledger } = await aProcess();
    for (const times of [1, 2, 3]) {
      sim.faults.inject({ effect: { kind: 'server-error', code }, when: ({ verb }) => verb === 'update' || verb === 'list', times });
    }

    await eventually(() => ensureAll(ledger, 3));

    expect([...(await portsInUse()).values()].flat().sort()).toEqual([20_000, 20_001, 20_002]);
  });

  it('waits out throttling and slowness', async () => {
    const { ledger } = await aProcess();
    const isWrite = ({ verb }: { verb: string }) => verb === 'update' || verb === 'create';
    sim.faults.inject({ effect: { kind: 'latency', delayMs: 50 }, when: isWrite });
    sim.faults.inject({ effect: { kind: 'too-many-requests', retryAfterSeconds: 0 }, when: isWrite, times: 3 });

    await expect(ensureAll(ledger, 3)).resolves.toHaveLength(3);
  });

  it('is right after a kill behind any request', async () => {
    for (let requests = 0; requests <= 8; requests++) {
      const namespace = `kill-${requests}`;
      await addNamespace(namespace);
      const killed = new AbortController();
      let left = requests;
      const kube = hooked(client, () => {
        if (left-- === 0) killed.abort(new Error('killed'));
        return Promise.resolve();
      });
      const first = await aProcess({ kube, namespace, range: sixPorts });
      const remembered: Route[] = [{ namespace: 'shop', service: 'api', port: 80, resolverPort: 22_500 }];
      await Promise.allSettled([
        first.ledger.ensure('shop', 'web', [{ port: 80 }], killed.signal),
        first.ledger.ensure('shop', 'api', [{ port: 80 }], killed.signal, remembered),
      ]);
      await first.stop();

      const { ledger } = await aProcess({ namespace, range: sixPorts });
      await ledger.ensure('shop', 'api', [{ port: 80 }], signal, remembered);
      await ledger.ensure('shop', 'web', [{ port: 80 }], signal);

      expect(await portsInUse(namespace)).toEqual(
        new Map([
          ['shop/web/80', [22_497]],
          ['shop/api/80', [22_500]],
        ]),
      );
    }
  }, 60_000);

  it('never lets an old leader with a stale cache and a new one contradict each other, in whatever order they read and write', async () => {
    let scenes = 0;
    const orders = await inEveryOrder(async () => {
      const namespace = `scene-${++scenes}`;
      await addNamespace(namespace);
      for (const shard of [0, 1]) await client.create(ConfigMap, buildShard(namespace, shard, new Map()));
      const stale = { list: () => [], subscribe: () => ({ hasSynced: true, synced: () => Promise.resolve(), close: () => undefined }) };
      const aLeader = (services: [string, Route[]?][]): Actor => {
        const turnstile = new Turnstile();
        const ledger = new RouteLedger({
          kube: hooked(client, turnstile.pass),
          routeShards: stale,
          namespace,
          clock: systemClock,
          logger: silentLogger,
          range: sixPorts,
        });
        const ensuring = () => services.map(([service, remembered]) => ledger.ensure('shop', service, [{ port: 80 }], signal, remembered));
        return { turnstile, run: () => Promise.allSettled(ensuring()) };
      };
      const elsewhere: Route[] = [{ namespace: 'shop', service: 'web', port: 80, resolverPort: 22_500 }];
      return {
        actors: [aLeader([['web'], ['api']]), aLeader([['web', elsewhere], ['new']])],
        check: async () => {
          const inUse = await portsInUse(namespace);
          for (const ports of inUse.values()) expect(ports).toHaveLength(1);
          expect(inUse.size).toBe(3);
        },
      };
    }, 9);

    expect(orders).toBeGreaterThan(100);
  }, 120_000);
});

interface ProcessOptions {
  readonly kube: ShardAccess;
  readonly namespace: string;
  readonly range: PortRange;
}

/** A client that asks before each request. */
function hooked(client: KubeClient, before: () => Promise<void>): ShardAccess {
  return {
    list: async (resource, options) => {
      await before();
      return client.list(resource, options);
    },
    find: async (resource, ref, options) => {
      await before();
      return client.find(resource, ref, options);
    },
    create: async (resource, object, options) => {
      await before();
      return client.create(resource, object, options);
    },
    replace: async (resource, object, options) => {
      await before();
      return client.replace(resource, object, options);
    },
  };
}
