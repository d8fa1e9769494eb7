import { once } from 'node:events';
import { Agent, type IncomingMessage, request as ask } from 'node:http';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import type { ResolverReplica } from '../fixtures/resolver-world/resolver-replica';
import { ResolverWorld, shop } from '../fixtures/resolver-world/resolver-world';
import { eventually } from '../eventually';

jest.setTimeout(180_000);

/** As a client does that gives every Host and header it likes, which `fetch` does not allow. */
async function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; body: string; connection?: string }> {
  const request = ask(url, { headers, agent: new Agent() });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, body, connection: response.headers.connection };
}

describe('the resolver with the operator', () => {
  let world: ResolverWorld;
  let resolver: ResolverReplica;

  beforeEach(async () => {
    world = await ResolverWorld.start();
    await world.startOperator();
    resolver = await world.startResolver();
  });

  afterEach(async () => {
    await world.stop();
  });

  const json = async (path: string): Promise<unknown> => (await fetch(`${resolver.url}${path}`)).json();

  it('holds a request for a sleeping service, has it woken, and gives the answer of its pod', async () => {
    await world.putToSleep('web');

    const answer = await fetch(`${await world.routeUrl('web')}/cart?id=1`);

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ port: 8080, method: 'GET', url: '/cart?id=1' });
    expect(await world.scaleOf('web')).toBe(1);
    await world.awake('web');
  });

  it('knows by the port whom a request is for, whatever its Host says', async () => {
    const ports = [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'admin', port: 81, targetPort: 8081 },
    ];
    await world.putToSleep('web', {}, { ports });

    const answers = await Promise.all([
      get(await world.routeUrl('web', 80), { host: 'www.example.com' }),
      get(await world.routeUrl('web', 81), { host: 'www.example.com' }),
    ]);

    expect(answers.map(({ body }): unknown => JSON.parse(body))).toMatchObject([
      { port: 8080, host: 'www.example.com' },
      { port: 8081, host: 'www.example.com' },
    ]);
  });

  it('holds and forwards HTTP/2', async () => {
    await world.putToSleep('web', {}, { ports: [{ name: 'h2c', port: 80, targetPort: 8080 }] });
    const session = connect(await world.routeUrl('web'));

    const stream = session.request({ ':path': '/cart' });
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    let body = '';
    for await (const chunk of stream) body += String(chunk);
    session.close();

    expect([headers[':status'], JSON.parse(body)]).toEqual([200, expect.objectContaining({ url: '/cart' })]);
  });

  it('finds the service that a request on the shared port names, and dials nobody for a name that is not known', async () => {
    await world.putToSleep('web');

    const named = await get(resolver.sharedUrl, { host: `web.${shop}.svc.cluster.local` });
    const byHeader = await get(resolver.sharedUrl, {
      host: 'localhost',
      'x-envoy-decorator-operation': `web.${shop}.svc.cluster.local:80/*`,
    });
    const unknown = await get(resolver.sharedUrl, { host: `nobody.${shop}` });
    const foreign = await get(resolver.sharedUrl, { host: 'kubernetes.default.svc.cluster.local' });

    expect([named, byHeader, unknown, foreign].map(({ status }) => status)).toEqual([200, 200, 404, 404]);
  });

  it('answers 508 to a request that comes back to it', async () => {
    await world.putToSleep('web');
    const url = await world.routeUrl('web');
    world.pods.program = () => (request, response) => {
      const again = ask(url, { headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 0);
        answer.pipe(response);
      });
      again.end();
    };

    const answer = await get(url);

    expect(answer).toMatchObject({ status: 508, body: expect.stringContaining(`${shop}/web:80`) });
  });

  it('answers 503 on ports that wake nothing, and leaves the service asleep', async () => {
    const ports = [
      { name: 'http', port: 80, targetPort: 8080 },
      { name: 'metrics', port: 9090, targetPort: 9090 },
    ];
    await world.putToSleep('web', {}, { ports });

    const answer = await fetch(`${await world.routeUrl('web', 9090)}/metrics`);

    expect(answer.status).toBe(503);
    expect(await json('/activity')).toMatchObject({ services: [] });
    expect(await world.scaleOf('web')).toBe(0);
  });

  it('shows browsers a page that wakes the service, where its ElastiService wants that', async () => {
    await world.putToSleep('web', { coldStart: 'page' });
    const url = await world.routeUrl('web');

    const page = await get(url, { accept: 'text/html' });
    await world.awake('web');
    const answer = await get(url, { accept: 'text/html' });

    expect(page).toMatchObject({ status: 503, body: expect.stringContaining('<title>web is waking up</title>') });
    expect(answer.status).toBe(200);
  });

  it('answers probes by probeResponse without waking anything, and is asked no more once a pod is ready', async () => {
    const probe = { path: { value: '/healthz' }, response: { status: 200 as const, body: 'asleep, and well' } };
    await world.putToSleep('web', { probeResponse: [probe] });
    const url = await world.routeUrl('web');

    const asleep = await (await fetch(`${url}/healthz`)).text();
    const scale = await world.scaleOf('web');
    await fetch(url);
    const awake = await (await fetch(`${url}/healthz`)).text();

    expect([asleep.trim(), scale]).toEqual(['asleep, and well', 0]);
    expect(JSON.parse(awake)).toMatchObject({ url: '/healthz' });
  });

  it('keeps a held request while the operator is away', async () => {
    await world.putToSleep('web');
    const url = await world.routeUrl('web');
    await world.operators[0]?.stop();
    world.operatorService.leadsTo = undefined;

    const answer = get(url);
    await world.held('web');
    await eventually('the operator was asked in vain', async () => {
      const metrics = await (await fetch(`${resolver.url}/metrics`)).text();
      return /elasti_resolver_operator_rpc_count\{error="unreachable"\} [1-9]/.test(metrics) ? true : undefined;
    });
    await world.startOperator();

    expect((await answer).status).toBe(200);
  });

  it('forwards on while the API server is away', async () => {
    await world.putToSleep('web');
    const url = await world.routeUrl('web');
    await get(url);

    await world.sim.faults.refuseConnections();
    world.sim.faults.dropWatches();
    const answers = [await get(url), await get(url)];
    const isReady = await resolver.isReady();
    await world.sim.faults.acceptConnections();

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(isReady).toBe(true);
  });

  it('tells clients to connect anew once the pods take the traffic themselves', async () => {
    await world.putToSleep('web');
    const url = await world.routeUrl('web');
    await get(url);
    await world.awake('web');

    await eventually('the resolver has heard of it', async () => ((await get(url)).connection === 'close' ? true : undefined));
  });

  it('reports what goes through it, and so keeps the service awake', async () => {
    await world.putToSleep('web', { triggers: [{ type: 'traffic', metadata: { window: '1s' } }], cooldownPeriod: 1 });
    world.pods.program = () => () => undefined;
    const request = ask(await world.routeUrl('web'));
    request.on('error', () => undefined);
    request.end();
    await world.awake('web');

    const { lastScaledUpTime } = (await world.get('web')).status ?? {};
    // A look that finds it busy counts as the last time it was needed.
    const isBusyAgain = async () => (await world.get('web')).status?.lastScaledUpTime !== lastScaledUpTime;
    await eventually('the operator found it busy', async () => ((await isBusyAgain()) ? true : undefined));
    const activity = await json(`/activity?namespace=${shop}&service=web`);
    const scale = await world.scaleOf('web');
    request.destroy();

    expect(scale).toBe(1);
    expect(activity).toMatchObject({ services: [{ namespace: shop, service: 'web', open: 1 }] });
    await world.asleep('web');
  });

  it('says on its internal port what it holds, knows and measures', async () => {
    await world.putToSleep('web');
    const release = world.pods.holdReadiness();
    const answer = get(await world.routeUrl('web'));
    await world.held('web');

    const held = await (await fetch(`${resolver.url}/metrics`)).text();
    const known = await json('/crd-cache-status');
    release();
    await answer;
    const after = await (await fetch(`${resolver.url}/metrics`)).text();

    expect(known).toEqual({ count: 1, services: [{ namespace: shop, service: 'web', name: 'web', mode: 'proxy' }] });
    expect(held).toContain(`elasti_resolver_queued_count{namespace="${shop}",source="web"} 1`);
    expect(after).toContain(`elasti_resolver_incoming_requests_count{namespace="${shop}",source="web",status="2xx",error="success"} 1`);
    expect(after).toContain(`elasti_resolver_held_seconds_count{namespace="${shop}",service="web"} 1`);
    expect(after).toContain(`elasti_resolver_wake_seconds_count{namespace="${shop}",service="web"} 1`);
    expect(after).toContain('elasti_resolver_ready_to_first_byte_seconds_count 1');
  });

  it('refuses to rehearse what it cannot understand', async () => {
    const rehearse = async (body: string) => {
      const answer = await fetch(`${resolver.url}/rehearse`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return [answer.status, await answer.text()];
    };

    expect(await rehearse('{"services":[{"namespace":"shop","service":"web","routes":[{"port":0,"resolverPort":20000}]}]}')).toEqual([
      400,
      expect.stringContaining('services[0].routes[0].port must be a port'),
    ]);
    expect((await rehearse(JSON.stringify({ services: Array.from({ length: 501 }, () => ({})) })))[0]).toBe(413);
    expect((await rehearse(' '.repeat(3 * 1024 * 1024)))[0]).toBe(413);
    expect((await fetch(`${resolver.url}/rehearse`)).status).toBe(405);
  });

  it('rehearses for a service that shares the shared port', async () => {
    await world.deploy('web');
    await world.manage('web');
    await world.asleep('web');
    const subject = { namespace: shop, service: 'web', routes: [{ port: 80, resolverPort: 8012 }] };

    const answer = await fetch(`${resolver.url}/rehearse`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ services: [subject] }),
    });

    expect(await answer.json()).toMatchObject({ services: [{ routes: [{ port: 80, resolverPort: 8012, listening: true }] }] });
  });
});
