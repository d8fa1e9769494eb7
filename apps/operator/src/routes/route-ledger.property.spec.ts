import type { RouteRecord } from '@elasti/api';
import type { ConfigMap } from '@elasti/operator-kit';
import { FakeCache, FakeClock, RecordingLogger } from '@elasti/operator-kit/testing';
import fc from 'fast-check';
import type { PortRange } from './port-range';
import { formatRouteKey, isInUse } from './route';
import { restMs } from './route-book';
import { RouteLedger } from './route-ledger';
import { type RouteCall, RouteServer } from './route-server.fixture';
import { amendShard, buildShard, parseShard } from './route-shard';

const { signal } = new AbortController();
/** Three ports at the end of one ConfigMap and three at the beginning of the next. */
const sixPorts: PortRange = { first: 22_497, last: 22_502 };

type Step =
  | { kind: 'ensure'; leader: number; service: string; ports: number[]; hint: number }
  | { kind: 'release'; leader: number; service: string }
  | { kind: 'restart' | 'cache catches up' | 'lost answer'; leader: number }
  | { kind: 'time'; ms: number };

const leader = fc.nat(1);
const service = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ensure' as const),
      leader,
      service,
      ports: fc.uniqueArray(fc.constantFrom(1, 2)),
      hint: fc.integer({ min: 22_497, max: 22_502 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), leader, service }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('restart' as const, 'cache catches up' as const, 'lost answer' as const), leader }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('time' as const), ms: fc.nat(restMs) }) },
);

/** A server, and two processes that both believe to lead. */
class World {
  readonly server = new RouteServer();
  readonly clock = new FakeClock();
  private readonly caches = [new FakeCache<ConfigMap>(), new FakeCache<ConfigMap>()];
  private readonly losesNext = [false, false];
  private readonly ledgers = [this.aLedger(0), this.aLedger(1)];

  async do(step: Step): Promise<void> {
    if (step.kind === 'time') return this.clock.advance(step.ms);
    const { leader: index } = step;
    const cache = this.caches[index];
    const ledger = this.ledgers[index];
    if (!cache || !ledger) throw new Error('there are two leaders');
    // A failed call is as good as none: what counts is what the server has.
    const ignore = () => undefined;
    switch (step.kind) {
      case 'ensure': {
        const remembered = [{ namespace: 'shop', service: step.service, port: 1, resolverPort: step.hint }];
        await ledger
          .ensure(
            'shop',
            step.service,
            step.ports.map((port) => ({ port })),
            signal,
            remembered,
          )
          .catch(ignore);
        return;
      }
      case 'release':
        await ledger.release('shop', step.service, signal).catch(ignore);
        return;
      case 'restart':
        this.caches[index] = new FakeCache();
        this.server.fill(this.caches[index]);
        this.ledgers[index] = this.aLedger(index);
        return;
      case 'cache catches up':
        this.server.fill(cache);
        return;
      case 'lost answer':
        this.losesNext[index] = true;
    }
  }

  private aLedger(index: number): RouteLedger {
    const loseAnswer = (call: RouteCall) => {
      if (call !== 'replace' || !this.losesNext[index]) return;
      this.losesNext[index] = false;
      throw new Error('connection reset');
    };
    return new RouteLedger({
      kube: this.server.client(undefined, loseAnswer),
      routeShards: this.caches[index] ?? new FakeCache(),
      namespace: 'elasti',
      clock: this.clock,
      logger: new RecordingLogger(),
      range: sixPorts,
    });
  }
}

const portsInUse = (records: ReadonlyMap<number, RouteRecord>) =>
  [...records].filter(([, record]) => isInUse(record)).map(([port, record]) => [formatRouteKey(record), port] as const);

function expectFairChange(before: ReadonlyMap<number, RouteRecord>, after: ReadonlyMap<number, RouteRecord>, nowMs: number): void {
  const current = new Map(portsInUse(after));
  expect(current.size).toBe(portsInUse(after).length);
  for (const [key, port] of portsInUse(before)) if (current.has(key)) expect(current.get(key)).toBe(port);
  for (const [port, was] of before) {
    const is = after.get(port);
    if (!is) throw new Error(`the record of ${port} is gone`);
    if (formatRouteKey(is) === formatRouteKey(was)) continue;
    expect(nowMs - (was.freedAtMs ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(restMs);
  }
}

describe('the ledger through any history', () => {
  it('has each port in use by one Service, keeps it there, and lets a freed one rest, with stale caches, restarts and lost answers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const world = new World();
        for (const next of steps) {
          const before = world.server.records;
          await world.do(next);
          expectFairChange(before, world.server.records, world.clock.now());
        }
      }),
      { numRuns: 150 },
    );
  }, 30_000);

  it('reads back exactly what it writes', () => {
    const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,20}[a-z0-9])?$/);
    const record: fc.Arbitrary<RouteRecord> = fc
      .record({
        namespace: name,
        service: name,
        port: fc.integer({ min: 1, max: 65_535 }),
        freedAtMs: fc.option(fc.nat(), { nil: undefined }),
      })
      .map(({ freedAtMs, ...key }) => (freedAtMs === undefined ? key : { ...key, freedAtMs }));
    const records = fc
      .array(fc.tuple(fc.integer({ min: 20_000, max: 22_499 }), record), { maxLength: 20 })
      .map((entries) => new Map(entries));

    fc.assert(
      fc.property(records, records, (first, changes) => {
        const shard = amendShard(buildShard('elasti', 0, first), changes);

        expect(parseShard(shard)).toEqual({ records: new Map([...first, ...changes]), broken: [] });
      }),
    );
  });
});
