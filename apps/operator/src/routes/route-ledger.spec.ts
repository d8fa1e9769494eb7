import { routesLabel } from '@elasti/api';
import type { ConfigMap } from '@elasti/operator-kit';
import { ConflictError } from '@elasti/operator-kit';
import { FakeCache, FakeClock, RecordingLogger, settle } from '@elasti/operator-kit/testing';
import type { Route } from './route';
import { restMs } from './route-book';
import { RouteLedger, type RouteLedgerDependencies } from './route-ledger';
import { type RouteCall, RouteServer } from './route-server.fixture';
import { buildShard } from './route-shard';

const { signal } = new AbortController();
const twoShards = { first: 20_000, last: 24_999 };

function setup({ server = new RouteServer(), ...dependencies }: Partial<RouteLedgerDependencies> & { server?: RouteServer } = {}) {
  const cache = new FakeCache<ConfigMap>();
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  server.fill(cache);
  const ledger = new RouteLedger({ kube: server.client(), routeShards: cache, namespace: 'elasti', clock, logger, ...dependencies });
  const portOf = async (service: string, port = 80, remembered?: Route[]) =>
    (await ledger.ensure('shop', service, [{ port }], signal, remembered)).routes[0]?.resolverPort;
  return { server, cache, clock, logger, ledger, portOf };
}

function serverWith(records: Record<number, string>): RouteServer {
  const server = new RouteServer();
  server.put({ ...buildShard('elasti', 0, new Map()), data: Object.fromEntries(Object.entries(records)) });
  return server;
}

const line = (service: string, port = 80) => JSON.stringify({ namespace: 'shop', service, port });

/** Holds up calls of one kind until it is opened. */
function aGate(held: RouteCall) {
  const opening = Promise.withResolvers<undefined>();
  return {
    before: (call: RouteCall) => (call === held ? opening.promise : undefined),
    open: () => opening.resolve(undefined),
  };
}

describe('RouteLedger', () => {
  it('gives each port a resolver port and writes it down', async () => {
    const { server, ledger } = setup();

    const { routes } = await ledger.ensure('shop', 'web', [{ port: 80 }, { port: 443 }], signal);

    expect(routes.map(({ resolverPort }) => resolverPort)).toEqual([20_000, 20_001]);
    expect(server.portsInUse).toEqual({ 'shop/web/80': [20_000], 'shop/web/443': [20_001] });
  });

  it('asks nobody when the cache says it all', async () => {
    const { server, portOf } = setup({ server: serverWith({ 20_007: line('web') }) });

    await expect(portOf('web')).resolves.toBe(20_007);

    expect(server.calls).toEqual([]);
  });

  it('trusts what it wrote until the cache has caught up', async () => {
    const { server, cache, portOf } = setup();
    await portOf('web');
    const stale = structuredClone([...server.objects.values()]);
    await portOf('api');
    const { length } = server.calls;
    for (const object of stale) cache.put(object);

    await expect(portOf('api')).resolves.toBe(20_001);

    expect(server.calls).toHaveLength(length);
  });

  it('takes over what another wrote after it', async () => {
    const { server, cache, portOf } = setup();
    await portOf('web');
    const other = setup({ server });
    await other.portOf('api');
    server.fill(cache);
    const { length } = server.calls;

    await expect(portOf('api')).resolves.toBe(20_001);

    expect(server.calls).toHaveLength(length);
  });

  it('decides changes that come during a write together in the next one', async () => {
    const { server, ledger } = setup();

    const all = Array.from({ length: 3_000 }, (_, index) => ledger.ensure('shop', `web-${index}`, [{ port: 80 }], signal));
    await Promise.all(all);

    expect(Object.keys(server.portsInUse)).toHaveLength(3_000);
    expect(server.writes).toBeLessThanOrEqual(4 + 2);
  });

  it('tells a caller only when its own change is accepted', async () => {
    const gate = aGate('replace');
    const server = new RouteServer();
    const { ledger } = setup({ server, kube: server.client(gate.before) });
    const told = jest.fn();

    const ensuring = ledger.ensure('shop', 'web', [{ port: 80 }], signal).then(told);
    await settle();
    expect(told).not.toHaveBeenCalled();
    gate.open();
    await ensuring;

    expect(server.portsInUse).toEqual({ 'shop/web/80': [20_000] });
  });

  it('tells those whose shard was written, when the next shard fails', async () => {
    const server = new RouteServer();
    let claims = 0;
    const before = (call: RouteCall) => {
      if (call === 'replace' && ++claims === 2) throw new Error('the disk is full');
    };
    const { ledger } = setup({ server, range: twoShards, kube: server.client(before) });
    const low = ledger.ensure('shop', 'low', [{ port: 80 }], signal);
    const high = ledger.ensure('shop', 'high', [{ port: 80 }], signal, [
      { namespace: 'shop', service: 'high', port: 80, resolverPort: 22_500 },
    ]);

    await expect(low).resolves.toMatchObject({ routes: [{ resolverPort: 20_000 }] });
    await expect(high).rejects.toThrow('the disk is full');
  });

  it('goes on for the others when one caller gives up', async () => {
    const gate = aGate('create');
    const server = new RouteServer();
    const { ledger } = setup({ server, kube: server.client(gate.before) });
    const leaving = new AbortController();
    const first = ledger.ensure('shop', 'first', [{ port: 80 }], leaving.signal);
    const second = ledger.ensure('shop', 'second', [{ port: 80 }], signal);
    await settle();

    leaving.abort(new Error('no longer needed'));
    gate.open();

    await expect(first).rejects.toThrow('no longer needed');
    await expect(second).resolves.toMatchObject({ routes: [{ resolverPort: 20_000 }] });
    expect(Object.keys(server.portsInUse)).toEqual(['shop/second/80']);
    expect(server.calls.filter((call) => call === 'list')).toHaveLength(1);
  });

  it('writes nothing after the lead is lost, and works again for who comes with a new one', async () => {
    const gate = aGate('replace');
    const server = new RouteServer();
    const { ledger, portOf } = setup({ server, kube: server.client(gate.before) });
    const lead = new AbortController();
    const ensuring = Promise.allSettled(['a', 'b'].map((service) => ledger.ensure('shop', service, [{ port: 80 }], lead.signal)));
    await settle();

    lead.abort(new Error('lease lost'));
    gate.open();
    await ensuring;
    await settle();

    expect(server.portsInUse).toEqual({});
    await expect(portOf('c')).resolves.toBe(20_000);
  });

  it('refuses a signal that has fired already, without a request', async () => {
    const { server, ledger } = setup();

    await expect(ledger.ensure('shop', 'web', [{ port: 80 }], AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');

    expect(server.calls).toEqual([]);
  });

  it('reads live and decides anew when another was quicker', async () => {
    const server = new RouteServer();
    let others = 1;
    const before = (call: RouteCall) => {
      if (call === 'replace' && others-- > 0) server.put({ ...buildShard('elasti', 0, new Map()), data: { 20_000: line('theirs') } });
    };
    const { portOf } = setup({ server, kube: server.client(before) });

    await expect(portOf('web')).resolves.toBe(20_001);

    expect(server.portsInUse).toEqual({ 'shop/theirs/80': [20_000], 'shop/web/80': [20_001] });
  });

  it('gives up with the conflict, for all who wait, when others are always quicker', async () => {
    const server = new RouteServer();
    const before = (call: RouteCall) => {
      if (call === 'replace') server.put(buildShard('elasti', 0, new Map()));
    };
    const { ledger } = setup({ server, kube: server.client(before) });

    const outcomes = await Promise.allSettled(['a', 'b'].map((service) => ledger.ensure('shop', service, [{ port: 80 }], signal)));

    expect(outcomes).toMatchObject([{ reason: expect.any(ConflictError) }, { reason: expect.any(ConflictError) }]);
    expect(server.calls.filter((call) => call === 'list')).toHaveLength(6);
  });

  it('finds its change written when only the answer was lost', async () => {
    const server = new RouteServer();
    let answers = 0;
    const loseOne = (call: RouteCall) => {
      if (call === 'replace' && ++answers === 1) throw new Error('connection reset');
    };
    const { portOf } = setup({ server, kube: server.client(undefined, loseOne) });

    await expect(portOf('web')).rejects.toThrow('connection reset');
    await expect(portOf('web')).resolves.toBe(20_000);

    expect(server.portsInUse).toEqual({ 'shop/web/80': [20_000] });
  });

  it('lets the ports of a released Service rest for an hour', async () => {
    const { clock, ledger, portOf } = setup({ range: { first: 20_000, last: 20_000 } });
    await portOf('web');

    await ledger.release('shop', 'web', signal);

    await expect(ledger.ensure('shop', 'api', [{ port: 80 }], signal)).resolves.toMatchObject({ without: [{ service: 'api', port: 80 }] });
    await clock.advance(restMs);
    await expect(portOf('api')).resolves.toBe(20_000);
  });

  it('asks nobody to release what has no ports, nor about a range that is known to be used up', async () => {
    const { server, ledger, portOf } = setup({ range: { first: 20_000, last: 20_000 } });
    await portOf('web');
    const { length } = server.calls;

    await ledger.release('shop', 'stranger', signal);
    await expect(portOf('api')).resolves.toBeUndefined();

    expect(server.calls).toHaveLength(length);
  });

  it('frees what no ElastiService claims any more', async () => {
    const { server, ledger } = setup({ server: serverWith({ 20_000: line('kept'), 20_001: line('gone') }) });

    await ledger.releaseUnclaimed((_namespace, service) => service === 'kept', signal);

    expect(server.portsInUse).toEqual({ 'shop/kept/80': [20_000] });
    expect(server.records.get(20_001)).toMatchObject({ service: 'gone', freedAtMs: expect.any(Number) });
  });

  it('writes a deleted ConfigMap again with the ports it had, resting ones too', async () => {
    const { server, cache, ledger, portOf } = setup();
    for (const service of ['a', 'b', 'c']) await portOf(service);
    await ledger.release('shop', 'a', signal);
    server.fill(cache);
    const before = server.records;
    server.objects.delete('elasti-routes-0');
    server.fill(cache);

    await expect(portOf('c')).resolves.toBe(20_002);

    expect(server.records).toEqual(before);
  });

  it('finds out by itself that a ConfigMap is gone, when the cache lags', async () => {
    const { server, portOf } = setup();
    for (const service of ['a', 'b']) await portOf(service);
    server.objects.delete('elasti-routes-0');

    await expect(portOf('c')).resolves.toBe(20_002);

    expect(server.portsInUse).toEqual({ 'shop/a/80': [20_000], 'shop/b/80': [20_001], 'shop/c/80': [20_002] });
  });

  it('gives a Service its former port after a restart without ConfigMaps, whoever comes first', async () => {
    const remembered = { namespace: 'shop', service: 'web', port: 80, resolverPort: 20_000 };
    const { portOf } = setup({ rememberedRoutes: () => [remembered] });

    await expect(portOf('new')).resolves.toBe(20_001);
    await expect(portOf('web', 80, [remembered])).resolves.toBe(20_000);
  });

  it('finds a ConfigMap that lost its label, and gives it back', async () => {
    const server = serverWith({ 20_000: line('web') });
    for (const { metadata } of server.objects.values()) delete metadata.labels;
    const { portOf } = setup({ server });

    await expect(portOf('web')).resolves.toBe(20_000);
    await expect(portOf('api')).resolves.toBe(20_001);

    expect(server.objects.get('elasti-routes-0')?.metadata.labels).toEqual({ [routesLabel]: 'true' });
  });

  it('leaves broken lines as they are, hands out none of their ports and warns once', async () => {
    const { server, cache, logger, portOf } = setup({ server: serverWith({ 20_000: 'web', 20_001: line('api') }) });

    await expect(portOf('web')).resolves.toBe(20_002);
    server.fill(cache);
    await portOf('web');

    expect(server.objects.get('elasti-routes-0')?.data?.['20000']).toBe('web');
    expect(logger.entries.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { configMap: 'elasti-routes-0', count: 1 } }]);
  });

  it('says that a port is claimed twice, and stops saying so when one claim is gone', async () => {
    const server = serverWith({ 20_000: line('web') });
    server.put({ ...buildShard('elasti', 1, new Map()), data: { 20_000: line('api') } });
    const { cache, ledger } = setup({ server });
    await expect(ledger.ensure('shop', 'web', [{ port: 80 }], signal)).resolves.toMatchObject({
      routes: [],
      disputed: [{ service: 'web' }],
    });
    await expect(ledger.ensure('shop', 'api', [{ port: 80 }], signal)).resolves.toMatchObject({
      routes: [],
      disputed: [{ service: 'api' }],
    });

    server.put(buildShard('elasti', 1, new Map()));
    server.fill(cache);

    await expect(ledger.ensure('shop', 'web', [{ port: 80 }], signal)).resolves.toMatchObject({
      routes: [{ resolverPort: 20_000 }],
      disputed: [],
    });
    await expect(ledger.ensure('shop', 'api', [{ port: 80 }], signal)).resolves.toMatchObject({ routes: [{ resolverPort: 20_001 }] });
  });
});
