import { systemClock } from '@elasti/operator-kit';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  parsePrometheusMetadata,
  PrometheusClient,
  PrometheusTrigger,
  QueryRound,
  type TriggerFailure,
  UndiciTransport,
} from '../../apps/operator/src/scale-down';
import { answer, eventually, RawServer } from './client-server';

const nowMs = Date.UTC(2030, 0, 1);

/** Answers the health query by itself, and every other as the test says. */
function prometheus(onQuery: (query: string, response: ServerResponse, request: IncomingMessage) => void): Promise<RawServer> {
  return RawServer.start((request, response) => {
    const url = new URL(request.url ?? '', 'http://prometheus');
    const query = url.searchParams.get('query') ?? '';
    if (url.pathname !== '/api/v1/query' || url.searchParams.get('time') !== '2030-01-01T00:00:00Z') answer(response, {}, 404);
    else if (query.startsWith('min_over_time(')) vector(response, '1');
    else onQuery(query, response, request);
  });
}

function vector(response: ServerResponse, ...values: string[]): void {
  const result = values.map((value) => ({ metric: { job: 'web' }, value: [nowMs / 1000, value] }));
  answer(response, { status: 'success', data: { resultType: 'vector', result } });
}

describe('Prometheus triggers over real connections', () => {
  const servers: RawServer[] = [];
  let transport: UndiciTransport;
  let abort: AbortController;
  let round: QueryRound;

  beforeEach(() => {
    transport = new UndiciTransport({ connectionsPerServer: 4 });
    abort = new AbortController();
    round = new QueryRound(new PrometheusClient(transport, systemClock), { nowMs, maxPerServer: 4, signal: abort.signal });
  });

  afterEach(async () => {
    await transport.close();
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function serve(...parameters: Parameters<typeof prometheus>): Promise<RawServer> {
    const server = await prometheus(...parameters);
    servers.push(server);
    return server;
  }

  function evaluate(serverAddress: string, { query = 'q', headers = {} }: { query?: string; headers?: Record<string, string> } = {}) {
    const question = parsePrometheusMetadata({ serverAddress, query, threshold: '5', headers }, {});
    return round.evaluate(new PrometheusTrigger(question, 900));
  }

  const failure = (kind: TriggerFailure) => ({ error: expect.objectContaining({ failure: kind }) });

  it('tells idle from busy, whatever characters a query has', async () => {
    const queries: string[] = [];
    const { url } = await serve((query, response) => {
      queries.push(query);
      vector(response, query.includes('busy') ? '5' : '4.9');
    });

    const outcomes = await Promise.all(['sum(a{b="c+d&e#f %ü"})', 'busy'].map((query) => evaluate(url, { query })));

    expect(outcomes).toEqual(['idle', 'busy']);
    expect(queries.sort()).toEqual(['busy', 'sum(a{b="c+d&e#f %ü"})']);
  });

  it('sends the headers of the trigger', async () => {
    let seen: IncomingMessage['headers'] = {};
    const { url } = await serve((_query, response, request) => {
      seen = request.headers;
      vector(response, '0');
    });

    await evaluate(url, { headers: { Authorization: 'Bearer own', 'X-Scope-OrgID': 'shop' } });

    expect(seen).toMatchObject({ authorization: 'Bearer own', 'x-scope-orgid': 'shop' });
  });

  it('follows no redirect', async () => {
    const other = await serve((_query, response) => vector(response, '0'));
    const { url } = await serve((_query, response, request) =>
      response.writeHead(302, { location: other.url + (request.url ?? '') }).end(),
    );

    await expect(evaluate(url)).resolves.toEqual(failure('status'));
    expect(other.requests).toEqual([]);
  });

  it('does not read an answer without end', async () => {
    let isCutOff = false;
    const { url } = await serve((_query, response) => {
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response
        .writeHead(200)
        .on('drain', more)
        .on('close', () => (isCutOff = true));
      more();
    });

    await expect(evaluate(url)).resolves.toEqual(failure('too large'));
    await eventually(() => isCutOff);
  });

  it.each<[TriggerFailure, (response: ServerResponse) => void]>([
    ['status', (response) => answer(response, { status: 'error', errorType: 'bad_data' }, 400)],
    ['malformed', (response) => response.end('not JSON')],
    ['unreachable', (response) => response.destroy()],
    ['unreachable', (response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy())],
    ['no sample', (response) => vector(response)],
    ['several samples', (response) => vector(response, '0', '0')],
  ])('cannot tell when the server fails: %s', async (kind, reply) => {
    const { url } = await serve((_query, response) => reply(response));

    await expect(evaluate(url)).resolves.toEqual(failure(kind));
  });

  it('cannot tell when nobody listens', async () => {
    const server = await prometheus(() => undefined);
    const { url } = server;
    await server.stop();

    await expect(evaluate(url)).resolves.toEqual(failure('unreachable'));
  });

  it('has few queries open at one server, over as few connections', async () => {
    let [open, mostOpen] = [0, 0];
    const server = await serve((_query, response) => {
      mostOpen = Math.max(mostOpen, ++open);
      setImmediate(() => {
        open--;
        vector(response, '0');
      });
    });

    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => evaluate(server.url, { query: `q${index}` })));

    expect(outcomes).toEqual(Array(40).fill('idle'));
    expect(mostOpen).toBeLessThanOrEqual(4);
    expect(server.connections).toBeLessThanOrEqual(4);
  });

  it('is cut off by its signal, and leaves no connection behind when closed', async () => {
    const server = await serve(() => undefined);
    const outcome = evaluate(server.url);
    await eventually(() => server.requests.length === 2);

    abort.abort(new Error('stopping'));

    await expect(outcome).rejects.toThrow('stopping');
    await transport.close();
    await eventually(() => server.sockets.size === 0);
  });
});
