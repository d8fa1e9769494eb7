import type { RouteRecord } from '@elasti/api';
import fc from 'fast-check';
import { type Allocation, allocatePorts, freeUnclaimed } from './allocate-ports';
import { restMs, RouteBook } from './route-book';
import type { BrokenRecord } from './route-shard';

const web = { namespace: 'shop', service: 'web' };
const api = { namespace: 'shop', service: 'api' };
const now = Date.UTC(2030, 0, 1);
const threePorts = { first: 20_000, last: 20_002 };

function aBook(records: [number, RouteRecord][] = [], { range = threePorts, broken = [] as BrokenRecord[] } = {}): RouteBook {
  const book = new RouteBook(range);
  book.file('elasti-routes-0', { records: new Map(records), broken });
  return book;
}

function apply(book: RouteBook, { changes }: Allocation): void {
  for (const [port, record] of changes) book.set(port, record);
}

const ports = (...numbers: number[]) => numbers.map((port) => ({ port }));
const portsOf = ({ grant }: Allocation) => grant.routes.map(({ resolverPort }) => resolverPort);

describe('allocatePorts', () => {
  it('gives each port of a Service a resolver port of its own', () => {
    const { grant } = allocatePorts(aBook(), web, ports(80, 443), now);

    expect(grant).toEqual({
      routes: [
        { ...web, port: 80, resolverPort: 20_000 },
        { ...web, port: 443, resolverPort: 20_001 },
      ],
      without: [],
      disputed: [],
    });
  });

  it('changes nothing when all is as wanted', () => {
    const allocation = allocatePorts(aBook([[20_001, { ...web, port: 80 }]]), web, ports(80), now);

    expect(portsOf(allocation)).toEqual([20_001]);
    expect(allocation.changes.size).toBe(0);
  });

  it('keeps the port of a Service that changes who speaks first, and writes that down', () => {
    const book = aBook([[20_001, { ...web, port: 25 }]]);

    const greeting = allocatePorts(book, web, [{ port: 25, speaksFirst: 'server' }], now);
    apply(book, greeting);
    const again = allocatePorts(book, web, [{ port: 25, speaksFirst: 'server' }], now);
    const silent = allocatePorts(book, web, [{ port: 25 }], now);

    expect(greeting.grant.routes).toEqual([{ ...web, port: 25, resolverPort: 20_001 }]);
    expect([greeting, again, silent].map(({ changes }) => [...changes.values()])).toEqual([
      [{ ...web, port: 25, speaksFirst: 'server' }],
      [],
      [{ ...web, port: 25 }],
    ]);
  });

  it('says of a new and of a returning port who speaks first', () => {
    const book = aBook([[20_001, { ...web, port: 25, freedAtMs: now }]]);

    const { changes } = allocatePorts(
      book,
      web,
      [
        { port: 25, speaksFirst: 'server' },
        { port: 21, speaksFirst: 'server' },
      ],
      now,
    );

    expect([...changes.values()].map(({ port, speaksFirst }) => [port, speaksFirst])).toEqual([
      [25, 'server'],
      [21, 'server'],
    ]);
  });

  it('frees a port that is no longer wanted, and gives it back to the same Service if it returns', () => {
    const book = aBook([[20_001, { ...web, port: 80 }]]);
    apply(book, allocatePorts(book, web, [], now));
    expect(book.records.get(20_001)).toEqual({ ...web, port: 80, freedAtMs: now });

    const allocation = allocatePorts(book, web, ports(80), now + 1);

    expect(portsOf(allocation)).toEqual([20_001]);
    expect(allocation.changes.get(20_001)).toEqual({ ...web, port: 80 });
  });

  it('lets a freed port rest for an hour before another Service gets it, and takes it last', () => {
    const book = aBook([
      [20_000, { namespace: 'shop', service: 'gone', port: 80, freedAtMs: now - restMs + 1 }],
      [20_001, { namespace: 'shop', service: 'gone', port: 81, freedAtMs: now - restMs }],
    ]);

    const allocation = allocatePorts(book, web, ports(80, 443, 8080), now);

    expect(portsOf(allocation)).toEqual([20_002, 20_001]);
    expect(allocation.grant.without).toEqual([{ ...web, port: 8080 }]);
  });

  it('never hands out a port that a broken line speaks of', () => {
    const broken = [{ shard: 'elasti-routes-0', key: '20000', resolverPort: 20_000, problem: 'no JSON' }];

    expect(portsOf(allocatePorts(aBook([], { broken }), web, ports(80), now))).toEqual([20_001]);
  });

  it('keeps the lowest of two resolver ports that somebody wrote down for one port, and frees the other', () => {
    const book = aBook([
      [20_002, { ...web, port: 80 }],
      [20_001, { ...web, port: 80 }],
    ]);

    const allocation = allocatePorts(book, web, ports(80), now);

    expect(portsOf(allocation)).toEqual([20_001]);
    expect([...allocation.changes]).toEqual([[20_002, { ...web, port: 80, freedAtMs: now }]]);
  });

  it('serves neither of two Services that claim one port, and says so to both', () => {
    const stray = { shard: 'elasti-routes-1', key: '20000', resolverPort: 20_000, claim: { ...api, port: 80 }, problem: 'wrong place' };
    const book = aBook([[20_000, { ...web, port: 80 }]], { broken: [stray] });

    expect(allocatePorts(book, web, ports(80), now)).toMatchObject({ grant: { routes: [], disputed: [{ ...web, port: 80 }] } });
    expect(allocatePorts(book, api, ports(80), now)).toMatchObject({ grant: { routes: [], disputed: [{ ...api, port: 80 }] } });
    expect(allocatePorts(book, web, ports(80), now).changes.size).toBe(0);
    expect(portsOf(allocatePorts(book, { namespace: 'shop', service: 'else' }, ports(80), now))).toEqual([20_001]);
  });

  it('serves a Service whose own port is merely written down twice', () => {
    const stray = { shard: 'copy', key: '20000', resolverPort: 20_000, claim: { ...web, port: 80 }, problem: 'wrong place' };

    expect(portsOf(allocatePorts(aBook([[20_000, { ...web, port: 80 }]], { broken: [stray] }), web, ports(80), now))).toEqual([20_000]);
  });

  it('follows what is remembered when nobody has that port, and only then', () => {
    const book = aBook([[20_001, { namespace: 'shop', service: 'other', port: 1 }]]);
    const remembered = [
      { ...web, port: 80, resolverPort: 20_002 },
      { ...web, port: 81, resolverPort: 20_001 },
    ];

    expect(portsOf(allocatePorts(book, web, ports(80, 81), now, remembered))).toEqual([20_002, 20_000]);
    expect(portsOf(allocatePorts(book, web, ports(80), now, [{ ...web, port: 80, resolverPort: 8012 }]))).toEqual([20_000]);
  });

  it('keeps a reserved port for the one who remembers it', () => {
    const book = aBook();
    book.reserve({ ...web, port: 80, resolverPort: 20_000 });

    expect(portsOf(allocatePorts(book, { namespace: 'shop', service: 'new' }, ports(80), now))).toEqual([20_001]);
    expect(portsOf(allocatePorts(book, web, ports(80), now, [{ ...web, port: 80, resolverPort: 20_000 }]))).toEqual([20_000]);
  });

  describe('by a status that anyone may have written', () => {
    const mine = { ...web, port: 80, resolverPort: 20_000 };
    const theirs = { ...api, port: 80, resolverPort: 20_000 };

    it.each([
      ['first', [theirs, mine]],
      ['last', [mine, theirs]],
    ])('gives nobody a port that another claims, too, be it %s', (_when, claims) => {
      const book = aBook();
      for (const claim of claims) book.reserve(claim);

      expect(portsOf(allocatePorts(book, api, ports(80), now, [theirs]))).toEqual([20_001]);
      expect(portsOf(allocatePorts(book, web, ports(80), now, [mine]))).toEqual([20_001]);
    });

    it('gives nobody a port that one with another record claims, too, which still may be sent to', () => {
      const book = aBook([[20_002, { ...web, port: 80 }]]);
      for (const claim of [mine, theirs]) book.reserve(claim);

      expect(portsOf(allocatePorts(book, api, ports(80), now, [theirs]))).toEqual([20_001]);
    });

    it('keeps nothing for one that has a record', () => {
      const book = aBook([[20_002, { ...web, port: 80 }]]);
      book.reserve(mine);

      expect(portsOf(allocatePorts(book, api, ports(80), now))).toEqual([20_000]);
    });

    it('keeps one port for each that has none', () => {
      const book = aBook();
      for (const resolverPort of [20_000, 20_001, 20_002]) book.reserve({ ...mine, resolverPort });

      expect(portsOf(allocatePorts(book, api, ports(80, 81), now))).toEqual([20_001, 20_002]);
    });
  });

  it('never gives one port to two Services at once, whatever comes and goes', () => {
    const step = fc.record({
      service: fc.constantFrom('a', 'b', 'c'),
      wanted: fc.uniqueArray(fc.constantFrom(1, 2, 3)),
      afterMs: fc.nat(restMs),
    });

    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const book = aBook([], { range: { first: 20_000, last: 20_004 } });
        let time = now;
        const current = new Map<string, readonly number[]>();
        for (const { service, wanted, afterMs } of steps) {
          time += afterMs;
          const before = new Map(book.records);
          const allocation = allocatePorts(book, { namespace: 'shop', service }, ports(...wanted), time);
          apply(book, allocation);
          current.set(service, portsOf(allocation));

          const inUse = [...current.values()].flat();
          expect(new Set(inUse).size).toBe(inUse.length);
          expect(allocation.grant.routes.length + allocation.grant.without.length).toBe(wanted.length);
          for (const resolverPort of portsOf(allocation)) {
            const former = before.get(resolverPort);
            const isTaken = former && former.service !== service;
            if (isTaken) expect(time - (former.freedAtMs ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(restMs);
          }
        }
      }),
    );
  });
});

describe('freeUnclaimed', () => {
  it('frees what nobody claims and leaves the rest', () => {
    const book = aBook([
      [20_000, { ...web, port: 80 }],
      [20_001, { namespace: 'shop', service: 'gone', port: 80 }],
      [20_002, { namespace: 'shop', service: 'gone', port: 81, freedAtMs: 5 }],
    ]);

    const { changes } = freeUnclaimed(book, (_namespace, service) => service === 'web', now);

    expect([...changes]).toEqual([[20_001, { namespace: 'shop', service: 'gone', port: 80, freedAtMs: now }]]);
  });
});
