import fc from 'fast-check';
import { type Allocation, allocatePorts, restMs } from './allocate-ports';
import type { PortRecord } from './route';

const web = { namespace: 'shop', service: 'web' };
const now = Date.UTC(2030, 0, 1);
const threePorts = { range: { first: 20_000, last: 20_002 } };
const apply = (records: ReadonlyMap<number, PortRecord>, { changes }: Allocation) => new Map([...records, ...changes]);

describe('allocatePorts', () => {
  it('gives each port of a Service a resolver port of its own', () => {
    const { routes, without } = allocatePorts(new Map(), web, [80, 443], now);

    expect(routes).toEqual([
      { ...web, port: 80, resolverPort: 20_000 },
      { ...web, port: 443, resolverPort: 20_001 },
    ]);
    expect(without).toEqual([]);
  });

  it('changes nothing when all is as wanted', () => {
    const records = new Map([[20_005, { ...web, port: 80 }]]);

    const { routes, changes } = allocatePorts(records, web, [80], now);

    expect(routes).toEqual([{ ...web, port: 80, resolverPort: 20_005 }]);
    expect(changes.size).toBe(0);
  });

  it('frees a port that is no longer wanted, and gives it back to the same Service if it returns', () => {
    const inUse = new Map([[20_000, { ...web, port: 80 }]]);
    const freed = apply(inUse, allocatePorts(inUse, web, [], now));
    expect(freed.get(20_000)).toEqual({ ...web, port: 80, freedAtMs: now });

    const { routes, changes } = allocatePorts(freed, web, [80], now + 1);

    expect(routes).toEqual([{ ...web, port: 80, resolverPort: 20_000 }]);
    expect(changes.get(20_000)).toEqual({ ...web, port: 80 });
  });

  it('lets a freed port rest for an hour before another Service gets it, and takes it last', () => {
    const records = new Map<number, PortRecord>([
      [20_000, { namespace: 'shop', service: 'gone', port: 80, freedAtMs: now - restMs + 1 }],
      [20_001, { namespace: 'shop', service: 'gone', port: 81, freedAtMs: now - restMs }],
    ]);

    const { routes, without } = allocatePorts(records, web, [80, 443, 8080], now, threePorts);

    expect(routes.map(({ resolverPort }) => resolverPort)).toEqual([20_002, 20_001]);
    expect(without).toEqual([{ ...web, port: 8080 }]);
  });

  it('never hands out a port that is broken or claimed twice', () => {
    const { routes } = allocatePorts(new Map(), web, [80], now, { ...threePorts, blocked: new Set([20_000]) });

    expect(routes).toEqual([{ ...web, port: 80, resolverPort: 20_001 }]);
  });

  it('never gives one port to two Services at once, whatever comes and goes', () => {
    const step = fc.record({
      service: fc.constantFrom('a', 'b', 'c'),
      ports: fc.uniqueArray(fc.constantFrom(1, 2, 3)),
      afterMs: fc.nat(restMs),
    });

    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let records: ReadonlyMap<number, PortRecord> = new Map();
        let time = now;
        const current = new Map<string, readonly number[]>();
        for (const { service, ports, afterMs } of steps) {
          time += afterMs;
          const owner = { namespace: 'shop', service };
          const before = records;
          const allocation = allocatePorts(records, owner, ports, time, { range: { first: 20_000, last: 20_004 } });
          records = apply(records, allocation);
          current.set(
            service,
            allocation.routes.map(({ resolverPort }) => resolverPort),
          );

          const inUse = [...current.values()].flat();
          expect(new Set(inUse).size).toBe(inUse.length);
          expect(allocation.routes.length + allocation.without.length).toBe(ports.length);
          for (const { resolverPort } of allocation.routes) {
            const former = before.get(resolverPort);
            const isTaken = former && former.service !== service;
            if (isTaken) expect(time - (former.freedAtMs ?? Number.POSITIVE_INFINITY)).toBeGreaterThanOrEqual(restMs);
          }
        }
      }),
    );
  });
});
