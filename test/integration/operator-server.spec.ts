import { apiErrorFor, type KubeStatus, silentLogger, systemClock, TransportError } from '@elasti/operator-kit';
import { Agent, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TargetNotFoundError, type WakeOutcome, WakeTimeoutError } from '../../apps/operator/src/controller';
import { LimitedServer } from '@elasti/operator-kit/program';
import { answer, eventually, RawServer } from './client-server';
import { anElastiService, aWakeCall, call, ServedOperator, type ServedOptions, wakePath } from './operator-server.fixture';

describe("the operator's HTTP side", () => {
  let served: ServedOperator;
  const cleanups: (() => Promise<unknown>)[] = [];

  async function serve(options?: ServedOptions): Promise<ServedOperator> {
    served = await ServedOperator.start(options);
    cleanups.push(() => served.stop());
    return served;
  }

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  describe('a wake call', () => {
    it('is answered once the wake is accepted, and not before', async () => {
      const { waker } = await serve();
      const accepted = Promise.withResolvers<WakeOutcome>();
      waker.answer = () => accepted.promise;
      let isAnswered = false;
      const answered = served.wake().finally(() => (isAnswered = true));

      await eventually(() => waker.calls === 1);
      await call(served.port, { path: '/healthz' });
      const before = isAnswered;
      accepted.resolve('scaled');
      const { status, json } = await answered;

      expect(before).toBe(false);
      expect([status, json()]).toEqual([200, { message: 'Request received successfully!' }]);
    });

    it('may say more than we read, and need not say how often or in which type', async () => {
      await serve();

      const more = await served.wake({ ...aWakeCall, timestamp: 'now', extra: [] });
      const less = await call(served.port, { method: 'POST', path: wakePath, body: '{"svc":"web","namespace":"shop"}' });

      expect([more.status, less.status]).toEqual([200, 200]);
    });

    it('is told every wrong field and what it must be', async () => {
      const { waker } = await serve();

      const { status, json } = await served.wake({ count: 'many', svc: 'Web!', namespace: 7 });

      expect(status).toBe(400);
      expect(json()).toMatchObject({
        message: expect.stringMatching(/count must .*svc must .*namespace must /),
        fields: [{ field: 'count' }, { field: 'svc' }, { field: 'namespace' }],
      });
      expect(waker.calls).toBe(0);
    });

    it.each(['', '{', 'null', '"web"', '[{"svc":"web","namespace":"shop"}]', '{}'])('is refused when its body is %p', async (body) => {
      const { waker } = await serve();

      const { status, json } = await served.wake(body);

      expect([status, json()]).toEqual([400, expect.objectContaining({ message: expect.stringContaining('must be') })]);
      expect(waker.calls).toBe(0);
    });

    it('is refused above 16 KiB, whether its length is said or not', async () => {
      const { waker } = await serve();
      const padded = JSON.stringify({ ...aWakeCall, padding: 'x'.repeat(17_000) });
      const chunks = [padded.slice(0, 9_000), padded.slice(9_000)];

      const said = await served.wake(padded);
      const unsaid = await call(served.port, {
        method: 'POST',
        path: wakePath,
        body: chunks,
        headers: { 'content-type': 'application/json' },
      });

      expect([said.status, unsaid.status]).toEqual([413, 413]);
      expect(said.json()).toEqual({ message: expect.stringContaining('16384 bytes') });
      expect(waker.calls).toBe(0);
    });

    it('is let through just below 16 KiB, in chunks, too', async () => {
      await serve();
      const padded = JSON.stringify({ ...aWakeCall, padding: 'x'.repeat(16_000) });

      const { status } = await call(served.port, { method: 'POST', path: wakePath, body: [padded.slice(0, 50), padded.slice(50)] });

      expect(status).toBe(200);
    });

    it.each<Record<string, string>>([
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-encoding': 'gzip' },
    ])('is refused with %p', async (headers) => {
      await serve();

      const { status, json } = await served.wake(aWakeCall, headers);

      expect([status, json()]).toEqual([415, { message: expect.stringContaining('must be') }]);
    });

    it('for a Service that no ElastiService speaks for is not found', async () => {
      await serve();

      const { status, json } = await served.wake({ ...aWakeCall, svc: 'cart' });

      expect([status, json()]).toEqual([404, { message: expect.stringContaining('Service cart in shop') }]);
    });

    it('is asked to come again while the replica does not know yet who speaks for whom', async () => {
      await serve({ elastiServices: 'unread' });

      const { status, headers } = await served.wake(aWakeCall);

      expect([status, headers['retry-after']]).toEqual([503, '1']);
    });

    it('for a dry run is refused, as nothing was woken', async () => {
      const { waker } = await serve();
      waker.answer = () => Promise.resolve('refused');

      const { status, json } = await served.wake();

      expect([status, json()]).toEqual([409, { message: expect.stringContaining('spec.mode') }]);
    });

    it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('is no %s', async (method) => {
      await serve();

      const { status, headers } = await call(served.port, { method, path: wakePath });

      expect([status, headers.allow]).toEqual([405, 'POST']);
    });

    const status = (more: Partial<KubeStatus> = {}): KubeStatus => ({ kind: 'Status', apiVersion: 'v1', message: 'hush', ...more });
    const request = 'PUT /apis/apps/v1/namespaces/shop/deployments/web/scale';
    it.each([
      ['is unreachable', new TransportError(request, { cause: new Error('hush') }), '1'],
      ['fails', apiErrorFor(500, status(), request), '1'],
      ['sheds load', apiErrorFor(429, status({ details: { retryAfterSeconds: 7 } }), request), '7'],
      ['asks for hours', apiErrorFor(429, status({ details: { retryAfterSeconds: 86_400 } }), request), '300'],
      ['reports a conflict', apiErrorFor(409, status(), request), '1'],
      ['forbids it', apiErrorFor(403, status(), request), '1'],
      ['has no target', new TargetNotFoundError('hush'), '5'],
      ['was not accepted in time', new WakeTimeoutError('hush'), '1'],
    ])('is answered with 503 and when to call again while the API server %s', async (_, error, retryAfter) => {
      const { waker, logger } = await serve();
      waker.answer = () => Promise.reject(error);

      const { status: code, headers, text } = await served.wake();

      expect([code, headers['retry-after']]).toEqual([503, retryAfter]);
      expect(text).not.toMatch(/hush|apis/);
      expect(logger.messages('warn')).toEqual(['a wake call was answered with 503']);
    });

    it('tells nothing of a failure that nobody foresaw, but logs it', async () => {
      const { waker, logger } = await serve();
      waker.answer = () => Promise.reject(new TypeError('hush'));

      const { status: code, text } = await served.wake();

      expect(code).toBe(500);
      expect(text).not.toContain('hush');
      expect(logger.messages('error')).toEqual(['an http request failed']);
    });

    it('waits for the API server no longer than it may', async () => {
      const { waker } = await serve({ limits: { maxWaiting: 10, timeoutMs: 50, drainMs: 50 } });
      waker.answer = () => new Promise(() => undefined);

      const { status: code, headers } = await served.wake();

      expect([code, headers['retry-after']]).toEqual([503, '1']);
    });

    it('does not wait where too many wait already', async () => {
      const { waker } = await serve({ limits: { maxWaiting: 3, timeoutMs: 10_000, drainMs: 50 } });
      const accepted = Promise.withResolvers<WakeOutcome>();
      waker.answer = () => accepted.promise;
      const waiting = [served.wake(), served.wake(), served.wake()];
      await eventually(() => waker.calls === 3);

      const tooMany = await served.wake();
      accepted.resolve('scaled');
      const answers = await Promise.all(waiting);
      const later = await served.wake();

      expect([tooMany.status, tooMany.headers['retry-after']]).toEqual([503, '1']);
      expect([...answers, later].map((one) => one.status)).toEqual([200, 200, 200, 200]);
    });
  });

  describe('with token reviews', () => {
    const users: Record<string, string> = {
      resolver: 'system:serviceaccount:edge:elasti-resolver',
      namesake: 'system:serviceaccount:shop:elasti-resolver',
    };

    async function serveReviews(onReview?: (response: ServerResponse) => void) {
      const reviews: { token: string; audiences: string[] }[] = [];
      const apiServer = await RawServer.start((incoming, response) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const { spec } = JSON.parse(Buffer.concat(chunks).toString()) as { spec: { token: string; audiences: string[] } };
          reviews.push(spec);
          const [name = '', audience] = spec.token.split('@');
          const username = users[name];
          if (onReview) onReview(response);
          else
            answer(
              response,
              { status: { authenticated: username !== undefined, user: { username }, audiences: audience ? [audience] : spec.audiences } },
              201,
            );
        });
      });
      cleanups.push(() => apiServer.stop());
      await serve({ env: { ELASTI_WAKE_AUTH: 'token-review', ELASTI_RESOLVER_NAMESPACE: 'edge' }, server: apiServer.url });
      return { reviews };
    }

    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

    it('wakes for the resolver, asking once for all its calls', async () => {
      const { reviews } = await serveReviews();

      const together = await Promise.all(Array.from({ length: 20 }, () => served.wake(aWakeCall, bearer('resolver'))));
      const later = await served.wake(aWakeCall, bearer('resolver'));

      expect(new Set([...together, later].map((one) => one.status))).toEqual(new Set([200]));
      expect(reviews).toEqual([{ token: 'resolver', audiences: ['elasti-operator'] }]);
    });

    it.each([
      ['without a token', {}, 401],
      ['with another scheme', { authorization: 'Basic cmVzb2x2ZXI=' }, 401],
      ['with a token nobody knows', bearer('forged'), 401],
      ['with a token for another audience', bearer('resolver@https://kubernetes.default.svc'), 401],
      ["with the token of another namespace's account of that name", bearer('namesake'), 403],
    ])('does not wake %s', async (_, headers: Record<string, string>, expected) => {
      await serveReviews();

      const wake = await served.wake(aWakeCall, headers);
      const crdCache = await call(served.port, { path: '/crd-cache', headers });

      expect([wake.status, crdCache.status]).toEqual([expected, expected]);
      expect(wake.headers['www-authenticate']).toEqual(expected === 401 ? expect.stringContaining('Bearer') : undefined);
      expect(served.waker.calls).toBe(0);
    });

    it('asks the caller to come back while nobody can tell', async () => {
      await serveReviews((response) => answer(response, { kind: 'Status', apiVersion: 'v1', code: 500 }, 500));

      const { status, headers } = await served.wake(aWakeCall, bearer('resolver'));

      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(JSON.stringify(served.logger.entries)).not.toContain('Bearer');
    });

    it('keeps probes and metrics open', async () => {
      await serveReviews();

      const answers = await Promise.all(['/healthz', '/readyz', '/metrics'].map((path) => call(served.port, { path })));

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    });
  });

  it('wakes for whoever knows the shared secret, also a new one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wake-secret-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    const secretFile = join(folder, 'secret');
    await writeFile(secretFile, 'first\n');
    await serve({ env: { ELASTI_WAKE_AUTH: 'shared-secret', ELASTI_WAKE_SECRET_FILE: secretFile } });
    const statusFor = async (token: string) => (await served.wake(aWakeCall, { authorization: `Bearer ${token}` })).status;

    const before = [await statusFor('first'), await statusFor('second'), (await served.wake()).status];
    await writeFile(secretFile, 'second-secret\n');
    const endMs = Date.now() + 10_000;
    while ((await statusFor('second-secret')) !== 200 && Date.now() < endMs);
    const after = [await statusFor('second-secret'), await statusFor('first')];

    expect([before, after]).toEqual([
      [200, 401, 401],
      [200, 401],
    ]);
  });

  it('shows which ElastiService speaks for each Service, without credentials', async () => {
    const headers = { Authorization: 'Bearer hush' };
    const trigger = { type: 'prometheus' as const, metadata: { serverAddress: 'http://me:hush@prometheus:9090', query: 'up', headers } };
    await serve({ elastiServices: [anElastiService({ additionalServices: ['admin'], triggers: [trigger] }, 'web-sleeps')] });

    const { status, text, json } = await call(served.port, { path: '/crd-cache' });

    expect(status).toBe(200);
    expect(text).not.toContain('hush');
    expect(json()).toMatchObject({
      services: {
        'shop/web': { name: 'web-sleeps', spec: { service: 'web', triggers: [{ metadata: { query: 'up' } }] }, status: { mode: 'proxy' } },
        'shop/admin': { name: 'web-sleeps' },
      },
    });
  });

  describe('ports', () => {
    it('has probes on both, and everything else on one', async () => {
      const { addresses } = await serve();
      const paths = ['/healthz', '/readyz?verbose', '/metrics', '/crd-cache', wakePath, '/nothing'];
      const statuses = (port: number) => Promise.all(paths.map(async (path) => (await call(port, { path })).status));

      expect(await statuses(addresses.api.port)).toEqual([200, 200, 200, 200, 405, 404]);
      expect(await statuses(addresses.probes.port)).toEqual([200, 200, 404, 404, 404, 404]);
    });

    it("shows the operator's metrics and the kit's", async () => {
      await serve();

      const { text, headers } = await call(served.port, { path: '/metrics' });

      expect(headers['content-type']).toContain('text/plain');
      expect(text).toMatch(/^# TYPE elasti_operator_mode gauge$/m);
      expect(text).toMatch(/^# TYPE workqueue_depth gauge$/m);
    });

    it('cuts off a client that never finishes its headers', async () => {
      const server = limitedServer({ headersTimeoutMs: 100 });
      const { port } = await server.open(0, '127.0.0.1');
      cleanups.push(() => server.close(0));

      const closed = await untilClosed(port, 'GET / HTTP/1.1\r\nHost: slow\r\n');

      expect(closed).toMatch(/^HTTP\/1\.1 408|^$/);
    });

    it('turns connections away when it has as many as it may', async () => {
      const server = limitedServer({ maxConnections: 1 });
      const { port } = await server.open(0, '127.0.0.1');
      const agent = new Agent({ keepAlive: true });
      cleanups.push(
        () => server.close(0),
        async () => agent.destroy(),
      );

      const first = await call(port, { agent });
      const second = call(port);

      await expect(second).rejects.toThrow(/ECONNRESET|socket hang up/);
      expect(first.status).toBe(200);
    });

    it('says which port is taken', async () => {
      const taken = await RawServer.start(() => undefined);
      cleanups.push(() => taken.stop());
      const server = limitedServer({});

      await expect(server.open(taken.port, '127.0.0.1')).rejects.toThrow(
        new RegExp(`cannot listen on port ${taken.port} for the test port: .*EADDRINUSE.*; free it or set another port`),
      );
    });
  });

  describe('stopping', () => {
    it('answers the wakes that wait and leaves no connection', async () => {
      const { waker, port } = await serve();
      const accepted = Promise.withResolvers<WakeOutcome>();
      waker.answer = () => accepted.promise;
      const [idle, busy] = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })];
      cleanups.push(async () => [idle, busy].forEach((agent) => agent.destroy()));
      await call(port, { path: '/healthz', agent: idle });
      const waiting = served.wake(aWakeCall, {}, busy);
      await eventually(() => waker.calls === 1);

      const closing = served.app.close();
      accepted.resolve('scaled');
      const { status } = await waiting;
      const answeredMs = performance.now();
      await closing;

      expect(status).toBe(200);
      expect(performance.now() - answeredMs).toBeLessThan(1_000);
      await expect(call(port, { path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
    });

    it('refuses new wakes and says that it is alive but not ready, while its controllers end', async () => {
      const { port, waker } = await serve();
      const ended = Promise.withResolvers<undefined>();
      served.lastWork = ended.promise;

      const closing = served.app.close();
      const refused = await served.wake();
      const probes = await Promise.all(['/healthz', '/readyz'].map((path) => call(port, { path })));
      ended.resolve(undefined);
      await closing;

      expect([refused.status, refused.headers['retry-after'], waker.calls]).toEqual([503, '1', 0]);
      expect(probes.map(({ status }) => status)).toEqual([200, 503]);
    });

    it('waits for a wake that never ends only as long as it may', async () => {
      await serve({ limits: { maxWaiting: 10, timeoutMs: 10_000, drainMs: 100 } });
      served.waker.answer = () => new Promise(() => undefined);
      const waiting = served.wake();
      await eventually(() => served.waker.calls === 1);

      await served.app.close();

      expect((await waiting).status).toBe(503);
    });
  });
});

function limitedServer(limits: Partial<ConstructorParameters<typeof LimitedServer>[2]>): LimitedServer {
  const all = { maxConnections: 10, headersTimeoutMs: 5_000, requestTimeoutMs: 5_000, keepAliveMs: 5_000, ...limits };
  return new LimitedServer('test port', (_, response) => response.end('ok'), all, systemClock, silentLogger);
}

/** What a server says before it closes the connection. */
function untilClosed(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (data: Buffer) => (said += data.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(said));
  });
}
