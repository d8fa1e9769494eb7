import type { ElastiService } from '@elasti/api';
import { silentLogger, systemClock } from '@elasti/operator-kit';
import { fakeClient } from '@elasti/operator-kit/testing';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PrometheusDefaults, UndiciTransport } from '../../apps/operator/src/scale-down';
import { anElastiService, IdleWorld } from '../../apps/operator/src/scale-down/loop/idle-world.fixture';
import { answer, eventually, RawServer } from './client-server';

type OnQuery = (query: string, response: ServerResponse, request: IncomingMessage) => void;

const isHealth = (query: string) => query.startsWith('min_over_time(');
const queryOf = ({ url }: IncomingMessage) => new URL(url ?? '', 'http://prometheus').searchParams.get('query') ?? '';

function vector(response: ServerResponse, ...values: string[]): void {
  const result = values.map((value) => ({ metric: {}, value: [1, value] }));
  answer(response, { status: 'success', data: { resultType: 'vector', result } });
}

/** A service that asks this server; the query is its name unless another is said. */
function asking({ url }: { url: string }, name: string, query = name): ElastiService {
  return anElastiService(name, {
    createdAt: '2020-01-01T00:00:00Z',
    spec: { triggers: [{ type: 'prometheus', metadata: { serverAddress: url, query, threshold: '1' } }] },
  });
}

describe('the idle loop with Prometheus servers on real sockets', () => {
  const servers: RawServer[] = [];
  const abort = new AbortController();
  let transport: UndiciTransport;

  beforeEach(() => (transport = new UndiciTransport({ connectionsPerServer: 8 })));

  afterEach(async () => {
    await transport.close();
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  /** Was always up, and answers 0, which is idle, unless told otherwise. */
  async function serve(onQuery: OnQuery = (_query, response) => vector(response, '0')): Promise<RawServer> {
    const server = await RawServer.start((request, response) => {
      const query = queryOf(request);
      if (isHealth(query)) vector(response, '1');
      else onQuery(query, response, request);
    });
    servers.push(server);
    return server;
  }

  function setup(services: ElastiService[], prometheus: PrometheusDefaults = {}) {
    const world = new IdleWorld({ clock: systemClock, logger: silentLogger, client: fakeClient().client, transport, prometheus });
    world.add(...services);
    return { world, runRound: (signal = abort.signal) => world.loop.runRound(signal) };
  }

  it('puts the idle to sleep, keeps the busy awake and wakes them', async () => {
    const server = await serve((query, response) => vector(response, query === 'idle' ? '0.99' : '1'));
    const { world, runRound } = setup(['idle', 'busy', 'asleep'].map((name) => asking(server, name)));
    world.scales.scales.set('asleep', 0);

    await runRound();

    expect(['idle', 'busy', 'asleep'].map((name) => world.report(name)?.wants)).toEqual(['sleep', 'stay', 'stay']);
    expect(world.waker.calls.sort()).toEqual(['stamp busy', 'wake asleep: triggers[0] is busy']);
  });

  it('does not let a server that says nothing delay the services of another', async () => {
    const dead = await serve(() => undefined);
    const alive = await serve((query, response) => vector(response, query === 'asleep' ? '5' : '0'));
    const { world, runRound } = setup([
      ...['a', 'b', 'c'].map((name) => asking(dead, name)),
      asking(alive, 'idle'),
      asking(alive, 'asleep'),
    ]);
    world.scales.scales.set('asleep', 0);
    const stop = new AbortController();

    const round = runRound(stop.signal);
    const ended = expect(round).rejects.toThrow('stopping');
    await eventually(() => world.report('idle') !== undefined && world.waker.calls.length > 0, 2_000);

    expect([world.report('idle')?.wants, ...world.waker.calls]).toEqual(['sleep', 'wake asleep: triggers[0] is busy']);
    expect(['a', 'b', 'c'].map((name) => world.report(name))).toEqual([undefined, undefined, undefined]);
    stop.abort(new Error('stopping'));
    await ended;
  });

  it('is done with a server that says nothing after five seconds, however many ask it', async () => {
    const dead = await serve(() => undefined);
    const { world, runRound } = setup(Array.from({ length: 40 }, (_, index) => asking(dead, `s${index}`)));
    dead.server.removeAllListeners('request');
    const begunMs = performance.now();

    await runRound();

    expect(performance.now() - begunMs).toBeLessThan(9_000);
    expect(world.services.map(({ metadata }) => world.report(metadata.name ?? '')?.wants)).toEqual(Array(40).fill('stay'));
  }, 15_000);

  it('follows no redirect, wherever it leads', async () => {
    const other = await serve();
    const server = await serve((_query, response, request) => response.writeHead(307, { location: other.url + (request.url ?? '') }).end());
    const { world, runRound } = setup([asking(server, 'web')]);

    await runRound();

    expect(world.report('web')).toMatchObject({
      wants: 'stay',
      triggers: { problem: expect.stringMatching(/redirects are not followed/) },
    });
    expect(other.requests).toEqual([]);
  });

  it("sends the operator's Authorization to its own server and the allowed ones, and to nobody else", async () => {
    const [own, allowed, stranger] = await Promise.all([serve(), serve(), serve()]);
    const defaults = { serverAddress: own.url, authorization: 'Bearer operator', authorizedOrigins: [allowed.url] };
    const services = [asking(own, 'a'), asking(allowed, 'b'), asking(stranger, 'c'), asking({ url: '' }, 'd')];
    const { world, runRound } = setup(services, defaults);

    await runRound();

    const sent = [own, allowed, stranger].map(({ requests }) => [...new Set(requests.map(({ headers }) => headers.authorization))]);
    expect(sent).toEqual([['Bearer operator'], ['Bearer operator'], [undefined]]);
    expect(services.map(({ metadata }) => world.report(metadata.name ?? '')?.wants)).toEqual(Array(4).fill('sleep'));
  });

  it('asks what is the same once a round, health included, and anew in the next', async () => {
    const server = await serve();
    const { world, runRound } = setup([asking(server, 'a', 'shared'), asking(server, 'b', 'shared'), asking(server, 'c', 'own')]);
    const asked = () => server.requests.map((request) => (isHealth(queryOf(request)) ? 'health' : queryOf(request))).sort();

    await runRound();
    expect(asked()).toEqual(['health', 'own', 'shared']);

    await runRound();
    expect(asked()).toEqual(['health', 'health', 'own', 'own', 'shared', 'shared']);
    expect(['a', 'b', 'c'].map((name) => world.report(name)?.wants)).toEqual(['sleep', 'sleep', 'sleep']);
  });

  it.each<[string, OnQuery]>([
    ['an error of its own', (_query, response) => answer(response, { status: 'error', errorType: 'execution' }, 422)],
    ['a failure', (_query, response) => answer(response, {}, 503)],
    ['a page for people', (_query, response) => response.end('<html>')],
    ['nothing', (_query, response) => vector(response)],
    ['several numbers', (_query, response) => vector(response, '0', '0')],
    ['no number', (_query, response) => vector(response, 'NaN')],
    ['an endless number', (_query, response) => vector(response, '-Inf')],
    [
      'half an answer',
      (_query, response) => response.writeHead(200, { 'content-length': 500 }).write('{"status":', () => response.destroy()),
    ],
    ['a closed connection', (_query, response) => response.destroy()],
    ['that a login is needed', (_query, response) => answer(response, {}, 401)],
  ])('never puts a service to sleep, nor wakes one, on %s', async (_what, onQuery) => {
    const server = await serve(onQuery);
    const { world, runRound } = setup([asking(server, 'awake'), asking(server, 'asleep')]);
    world.scales.scales.set('asleep', 0);

    await runRound();

    for (const name of ['awake', 'asleep']) {
      expect(world.report(name)).toMatchObject({ wants: 'stay', triggers: { problem: expect.stringMatching(/^triggers\[0\]: /) } });
    }
    expect(world.waker.calls).toEqual([]);
  });

  it('never puts a service to sleep when Prometheus was down in the cooldown, whatever the query would say', async () => {
    const server = await RawServer.start((_request, response) => vector(response, '0'));
    servers.push(server);
    const { world, runRound } = setup([asking(server, 'web')]);

    await runRound();

    expect(world.report('web')).toMatchObject({
      wants: 'stay',
      triggers: { problem: expect.stringMatching(/was not up for the whole cooldown/) },
    });
    expect(server.requests).toHaveLength(1);
  });

  it('never puts a service to sleep when nobody listens', async () => {
    const server = await serve();
    const { world, runRound } = setup([asking(server, 'web')]);
    await server.stop();

    await runRound();

    expect(world.report('web')).toMatchObject({ wants: 'stay', triggers: { problem: expect.stringMatching(/cannot be reached/) } });
  });

  it('leaves no connection behind when it is stopped in the middle of a round', async () => {
    const server = await serve(() => undefined);
    const { runRound } = setup([asking(server, 'web')]);
    const stop = new AbortController();
    const ended = expect(runRound(stop.signal)).rejects.toThrow('stopping');
    await eventually(() => server.requests.length === 2);

    stop.abort(new Error('stopping'));
    await ended;
    await transport.close();

    await eventually(() => server.sockets.size === 0);
  });
});
