import type { ConfigMap } from '@elasti/operator-kit';
import { FakeCache, FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import type { PortRange } from './port-range';
import type { Route } from './route';
import { RouteLedger } from './route-ledger';
import { RouteServer } from './route-server.fixture';
import { buildShard } from './route-shard';
import { type Actor, inEveryOrder, Turnstile } from './schedules.fixture';

const { signal } = new AbortController();
/** Three ports at the end of one ConfigMap and three at the beginning of the next. */
const sixPorts: PortRange = { first: 22_497, last: 22_502 };
const depth = 9;

function aLeader(server: RouteServer, cache: FakeCache<ConfigMap>, act: (ledger: RouteLedger) => Promise<unknown>): Actor {
  const turnstile = new Turnstile();
  const ledger = new RouteLedger({
    kube: server.client(turnstile.pass),
    routeShards: cache,
    namespace: 'elasti',
    clock: new FakeClock(),
    logger: new RecordingLogger(),
    range: sixPorts,
  });
  // Others being quicker six times over is an answer, too.
  return { turnstile, run: () => act(ledger).catch(() => undefined) };
}

function expectNoContradiction(server: RouteServer): void {
  for (const ports of Object.values(server.portsInUse)) expect(ports).toHaveLength(1);
}

const wantHigh = (service: string): Route[] => [{ namespace: 'shop', service, port: 80, resolverPort: 22_500 }];

describe('two leaders at once', () => {
  it('never give a Service two ports, nor two Services one, in whatever order they read and write', async () => {
    const orders = await inEveryOrder(() => {
      const server = new RouteServer();
      for (const shard of [0, 1]) server.put(buildShard('elasti', shard, new Map()));
      const stale = new FakeCache<ConfigMap>();
      server.fill(stale);
      const granted: (number | undefined)[] = [];
      const ensure = async (ledger: RouteLedger, service: string, remembered?: Route[]) => {
        const { routes } = await ledger.ensure('shop', service, [{ port: 80 }], signal, remembered);
        granted.push(routes[0]?.resolverPort);
      };
      const older = aLeader(server, stale, (ledger) => Promise.all([ensure(ledger, 'web'), ensure(ledger, 'api')]));
      const newer = aLeader(server, new FakeCache(), (ledger) =>
        Promise.all([ensure(ledger, 'web', wantHigh('web')), ensure(ledger, 'new')]),
      );
      return Promise.resolve({
        actors: [older, newer],
        check: () => {
          expectNoContradiction(server);
          const inUse = new Set(Object.values(server.portsInUse).flat());
          for (const port of granted) expect(inUse).toContain(port);
        },
      });
    }, depth);

    expect(orders).toBeGreaterThan(100);
  }, 60_000);

  it('never contradict each other when a third hand edits a ConfigMap meanwhile', async () => {
    const full = new Map([0, 1, 2].map((index) => [22_497 + index, { namespace: 'shop', service: `s-${index}`, port: 1 }]));
    const orders = await inEveryOrder(() => {
      const server = new RouteServer();
      server.put(buildShard('elasti', 0, full));
      server.put(buildShard('elasti', 1, new Map()));
      const leaders = [0, 1].map(() => {
        const cache = new FakeCache<ConfigMap>();
        server.fill(cache);
        return aLeader(server, cache, (ledger) => ledger.ensure('shop', 'web', [{ port: 80 }], signal));
      });
      const hand = new Turnstile();
      const edit = async () => {
        await hand.pass();
        const shard = server.objects.get('elasti-routes-0');
        if (!shard) return;
        const { '22498': _removed, ...data } = shard.data ?? {};
        server.put({ ...shard, data });
      };
      return Promise.resolve({ actors: [...leaders, { turnstile: hand, run: edit }], check: () => expectNoContradiction(server) });
    }, depth);

    expect(orders).toBeGreaterThan(100);
  }, 60_000);
});
