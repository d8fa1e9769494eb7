import { KitMetrics } from '../metrics';
import { FakeClock, RecordingLogger, type ScriptedAnswer, ScriptedServer, settle } from '../testing';
import { ConfigMap } from './builtins';
import { type ClientOptions, transportFor } from './client-options';
import { KubeClient } from './kube-client';
import {
  ForbiddenError,
  type KubeApiError,
  NotFoundError,
  ServerError,
  TooManyRequestsError,
  TransportError,
  UnauthorizedError,
} from './kube.errors';
import type { ServerOptions } from './server-options';

const ref = { namespace: 'shop', name: 'settings' };
const found: ScriptedAnswer = { body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref } };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref };

function failure(status: number, headers: Record<string, string> = {}, more: object = {}): ScriptedAnswer {
  return { status, headers, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, message: 'no', ...more } };
}

function reset(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
}

class FakeFiles {
  private readonly contents = new Map<string, { version: number; text: string }>();

  write(path: string, text: string): void {
    this.contents.set(path, { version: (this.contents.get(path)?.version ?? 0) + 1, text });
  }

  version(path: string): string {
    return String(this.at(path).version);
  }

  read(path: string): Buffer {
    return Buffer.from(this.at(path).text);
  }

  private at(path: string): { version: number; text: string } {
    const file = this.contents.get(path);
    if (!file) throw new Error(`no file ${path}`);
    return file;
  }
}

function setup(options: Partial<ServerOptions & ClientOptions> = {}) {
  const server = new ScriptedServer();
  const clock = new FakeClock();
  const logger = new RecordingLogger();
  const metrics = new KitMetrics();
  const files = new FakeFiles();
  const client = KubeClient.forServer({
    server: 'https://api.example:6443',
    poolFactory: server.poolFactory,
    clock,
    logger,
    metrics,
    files,
    ...options,
  });
  const counted = async () => {
    const { values } = await metrics.clientRequests.get();
    return Object.fromEntries(values.map(({ labels, value }) => [`${labels.verb} ${labels.code}`, value]));
  };
  return { server, clock, logger, files, client, counted };
}

describe('answers that nobody reads', () => {
  const unread = { fieldManager: 'spec', answer: 'unread' } as const;

  it('are not parsed, whatever they are', async () => {
    const { server, client } = setup();
    server.script({ body: 'no JSON at all' });

    await expect(client.apply(ConfigMap, object, unread)).resolves.toBeUndefined();
  });

  it('tell of a failure all the same', async () => {
    const { server, client } = setup();
    server.script(failure(403));

    await expect(client.patch(ConfigMap, ref, { type: 'merge', body: {} }, unread)).rejects.toThrow(ForbiddenError);
  });
});

describe('connections', () => {
  it('One keep-alive pool per credential', async () => {
    const { server, client } = setup({ token: 'one' });
    const other = KubeClient.forServer({ server: 'https://api.example:6443', token: 'two', poolFactory: server.poolFactory });
    server.script(found, found, found, found);

    await client.get(ConfigMap, ref);
    await client.create(ConfigMap, object);
    await client.get(ConfigMap, ref);
    await other.get(ConfigMap, ref);

    expect(server.requests.map(({ pool, headers }) => [pool, headers.authorization])).toEqual([
      [0, 'Bearer one'],
      [0, 'Bearer one'],
      [0, 'Bearer one'],
      [1, 'Bearer two'],
    ]);
  });

  it('opens new connections for a new client certificate and lets go of the old ones', async () => {
    const { server, client, files, clock } = setup({ certFile: 'tls.crt', keyFile: 'tls.key' });
    files.write('tls.crt', 'old cert');
    files.write('tls.key', 'old key');
    server.script(found, found);

    await client.get(ConfigMap, ref);
    files.write('tls.crt', 'new cert');
    files.write('tls.key', 'new key');
    await clock.advance(1000);
    await client.get(ConfigMap, ref);

    expect(server.pools.map(({ tls }) => String(tls.cert))).toEqual(['old cert', 'new cert']);
    expect(server.requests.map(({ pool }) => pool)).toEqual([0, 1]);
    expect(server.openPools).toBe(1);
  });

  it('gives watches connections of their own, without a limit, so that requests never wait for them', async () => {
    const { server, client } = setup({ connections: 2 });
    server.script(found, { body: '' });

    await client.get(ConfigMap, ref);
    for await (const event of client.watch(ConfigMap)) throw new Error(event.type);

    expect(server.pools.map(({ connections }) => connections)).toEqual([2, null]);
  });

  it('refuses to send anything once closed', async () => {
    const { server, client } = setup();
    server.script(found);
    await client.get(ConfigMap, ref);

    await client.close();

    await expect(client.get(ConfigMap, ref)).rejects.toThrow('the client is closed');
    expect(server.openPools).toBe(0);
  });

  it('sends a safe request again, once, when the kept-alive connection turned out to be dead', async () => {
    const { server, client } = setup();
    server.script(reset(), found, reset(), reset());

    await expect(client.get(ConfigMap, ref)).resolves.toMatchObject({ metadata: ref });
    await expect(client.get(ConfigMap, ref)).rejects.toThrow(TransportError);

    expect(server.requests).toHaveLength(4);
  });

  it('never repeats a write that may have been executed', async () => {
    const { server, client } = setup();
    server.script(reset());

    await expect(client.create(ConfigMap, object)).rejects.toThrow(TransportError);

    expect(server.requests).toHaveLength(1);
  });

  it('does not repeat a request that found nobody listening', async () => {
    const { server, client } = setup();
    server.script(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));

    await expect(client.get(ConfigMap, ref)).rejects.toThrow(TransportError);

    expect(server.requests).toHaveLength(1);
  });
});

describe('credentials in use', () => {
  it('credentials are re-read when their file changes', async () => {
    const { server, client, files, clock } = setup({ tokenFile: 'token' });
    files.write('token', 'first\n');
    server.script(found, found, found);

    await client.get(ConfigMap, ref);
    files.write('token', 'second\n');
    await clock.advance(1000);
    await client.get(ConfigMap, ref);
    await client.get(ConfigMap, ref);

    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second', 'Bearer second']);
    expect(server.pools).toHaveLength(1);
  });

  it('401 refreshes once', async () => {
    const { server, client, files } = setup({ tokenFile: 'token' });
    files.write('token', 'stale');
    server.script(found, failure(401), found, failure(401), failure(401));
    await client.get(ConfigMap, ref);
    files.write('token', 'fresh');

    await expect(client.get(ConfigMap, ref)).resolves.toMatchObject({ metadata: ref });
    await expect(client.get(ConfigMap, ref)).rejects.toThrow(UnauthorizedError);

    const tokens = server.requests.map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(['Bearer stale', 'Bearer stale', 'Bearer fresh', 'Bearer fresh', 'Bearer fresh']);
  });

  it('refreshes for a watch too', async () => {
    const { server, client, files } = setup({ tokenFile: 'token' });
    files.write('token', 'any');
    server.script(failure(401), { body: '' });

    for await (const event of client.watch(ConfigMap)) throw new Error(event.type);

    expect(server.requests).toHaveLength(2);
  });

  it('fails in a typed way when the first look at a credential file fails', async () => {
    const { server, client } = setup({ tokenFile: 'missing' });

    await expect(client.get(ConfigMap, ref)).rejects.toThrow(TransportError);

    expect(server.requests).toHaveLength(0);
  });
});

describe('throttling', () => {
  it('429 and Retry-After are honoured', async () => {
    const { server, client, clock } = setup();
    server.script(failure(429, { 'retry-after': '3' }), found);

    const answer = client.create(ConfigMap, object);
    await clock.advance(2999);
    const early = server.requests.length;
    await clock.advance(1);

    await expect(answer).resolves.toMatchObject({ metadata: ref });
    expect([early, server.requests.length]).toEqual([1, 2]);
  });

  it('takes a date in Retry-After', async () => {
    const { server, client, clock } = setup();
    server.script(failure(429, { 'retry-after': new Date(clock.now() + 4000).toUTCString() }), found);

    const answer = client.get(ConfigMap, ref);
    await clock.advance(3999);
    const early = server.requests.length;
    await clock.advance(1);

    await answer;
    expect([early, server.requests.length]).toEqual([1, 2]);
  });

  it('gives up after 10 retries with the delay that was asked for last', async () => {
    const { server, client, clock } = setup();
    server.script(...Array<ScriptedAnswer>(20).fill(failure(429, { 'retry-after': '1' })));

    const failed = client.get(ConfigMap, ref).catch((error: unknown) => error);
    await clock.advance(25_000);

    const error = await failed;
    expect(error).toBeInstanceOf(TooManyRequestsError);
    expect((error as KubeApiError).status.details?.retryAfterSeconds).toBe(1);
    expect(server.requests).toHaveLength(11);
  });

  it('does not wait for a delay that ends after the timeout of the call', async () => {
    const { server, client, clock } = setup();
    server.script(failure(429, { 'retry-after': '60' }));

    await expect(client.get(ConfigMap, ref)).rejects.toThrow(TooManyRequestsError);

    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves a throttled watch to its owner, telling the delay', async () => {
    const { server, client } = setup();
    server.script(failure(429, { 'retry-after': '7' }));

    const watching = client.watch(ConfigMap)[Symbol.asyncIterator]();
    const error = await watching.next().catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(TooManyRequestsError);
    expect((error as KubeApiError).status.details?.retryAfterSeconds).toBe(7);
  });

  it('stops waiting when the client is closed', async () => {
    const { server, client, clock } = setup();
    server.script(failure(429, { 'retry-after': '5' }));

    const failed = client.get(ConfigMap, ref, { signal: new AbortController().signal }).catch((error: unknown) => error);
    await settle();
    await client.close();

    expect(await failed).toBeInstanceOf(TransportError);
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops waiting when the caller gives up', async () => {
    const { server, client, clock } = setup();
    server.script(failure(429, { 'retry-after': '5' }));
    const giveUp = new AbortController();
    const reason = new Error('stopping');

    const failed = client.get(ConfigMap, ref, { signal: giveUp.signal }).catch((error: unknown) => error);
    await settle();
    giveUp.abort(reason);

    expect(await failed).toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('limits of a call', () => {
  it('fails when no answer comes within the timeout', async () => {
    const { server, client, clock } = setup({ timeoutMs: 5000 });
    server.script('silence');

    const failed = client.get(ConfigMap, ref).catch((error: unknown) => error);
    await clock.advance(5000);

    expect(await failed).toEqual(
      new TransportError('GET /api/v1/namespaces/shop/configmaps/settings', { cause: new Error('no answer within 5000 ms') }),
    );
  });

  it("rejects with the signal's reason and leaves no timer behind", async () => {
    const { server, client, clock } = setup();
    server.script('silence');
    const giveUp = new AbortController();
    const reason = new Error('stopping');

    const failed = client.get(ConfigMap, ref, { signal: giveUp.signal }).catch((error: unknown) => error);
    await settle();
    giveUp.abort(reason);

    expect(await failed).toBe(reason);
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends nothing for a signal that is aborted already', async () => {
    const { server, client } = setup();

    await expect(client.get(ConfigMap, ref, { signal: AbortSignal.abort(new Error('stopping')) })).rejects.toThrow('stopping');

    expect(server.requests).toHaveLength(0);
  });

  it('asks no plugin for a signal that is aborted already', async () => {
    const plugin = jest.fn(() => new Promise<never>(() => undefined));
    const client = new KubeClient(transportFor({ server: 'https://api.example:6443', clock: new FakeClock(), plugin }));

    await expect(client.get(ConfigMap, ref, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');

    expect(plugin).not.toHaveBeenCalled();
  });

  it('refuses an answer larger than its limit', async () => {
    const { server, client } = setup({ maxResponseBytes: 10 });
    server.script(found);

    await expect(client.get(ConfigMap, ref)).rejects.toThrow('the answer is larger than 10 bytes');
  });
});

describe('failures', () => {
  it.each([
    [403, ForbiddenError],
    [404, NotFoundError],
    [503, ServerError],
  ])('%i is a typed error that keeps the Status', async (status, type) => {
    const { server, client } = setup();
    server.script(failure(status, {}, { reason: 'Because', details: { name: 'settings' } }));

    const error = await client.get(ConfigMap, ref).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ code: status, reason: 'Because', status: { details: { name: 'settings' } } });
  });

  it("makes a Status of a proxy's page, cut to a bearable length", async () => {
    const { server, client } = setup();
    server.script({ status: 502, body: `<html>${'x'.repeat(5000)}</html>` });

    const error = await client.get(ConfigMap, ref).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(ServerError);
    expect((error as ServerError).status).toMatchObject({ kind: 'Status', code: 502, status: 'Failure' });
    expect((error as ServerError).message.length).toBeLessThan(700);
  });

  it('says so, without quoting it, when an answer is not JSON', async () => {
    const { server, client } = setup();
    server.script({ body: '<html>family matters</html>' });

    const error = await client.get(ConfigMap, ref).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(TransportError);
    expect(String((error as Error).stack)).not.toContain('family');
  });

  it('names the verb and the path, never the query or the token', async () => {
    const { server, client, logger } = setup({ token: 'hush' });
    server.script(failure(401), failure(401));

    const error = await client.list(ConfigMap, { labelSelector: 'private=1' }).catch((caught: unknown) => caught);

    expect(error).toMatchObject({ request: 'GET /api/v1/configmaps' });
    expect(JSON.stringify([error, (error as Error).message, logger.entries])).not.toMatch(/private|hush/);
  });
});

describe('metrics', () => {
  it('has metrics of its own when it is given none', async () => {
    const { server, client } = setup({ metrics: undefined });
    server.script(found);

    await client.get(ConfigMap, ref);

    await expect(client.metrics.clientRequests.get()).resolves.toMatchObject({
      values: [{ labels: { verb: 'get', code: '200' }, value: 1 }],
    });
  });

  it('counts every attempt by verb and code', async () => {
    const { server, client, counted } = setup();
    server.script(found, { body: { items: [] } }, failure(404), new Error('refused'), { status: 201, body: object }, { body: '' });

    await client.get(ConfigMap, ref);
    await client.list(ConfigMap);
    await client.find(ConfigMap, ref);
    await client.get(ConfigMap, ref).catch(() => undefined);
    await client.create(ConfigMap, object);
    for await (const event of client.watch(ConfigMap)) throw new Error(event.type);

    await expect(counted()).resolves.toEqual({
      'get 200': 1,
      'list 200': 1,
      'get 404': 1,
      'get <error>': 1,
      'create 201': 1,
      'watch 200': 1,
    });
  });
});
