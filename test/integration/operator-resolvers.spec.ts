import { type RehearsalSubject, maxRehearsalSubjects } from '@elasti/api';
import { type Clock, systemClock } from '@elasti/operator-kit';
import { FakeClock } from '@elasti/operator-kit/testing';
import { Rehearsals, ResolverActivity, ResolverClient, type ResolverPod, UndiciResolverTransport } from '../../apps/operator/src/resolvers';
import { StubResolver } from '../fixtures/stub-resolver/stub-resolver';
import { answer, eventually, RawServer } from './client-server';

const web = { namespace: 'shop', service: 'web' };
const { signal } = new AbortController();
/** Before an idle connection would end by itself, and before a call times out. */
const soonMs = 1_000;
/** How long rehearsals wait for others to share a call with. */
const gatherMs = 5;

function aSubject(service = 'web'): RehearsalSubject {
  return { namespace: 'shop', service, routes: [{ port: 80, resolverPort: 20_001 }] };
}

function podAt(address: string, overrides: Partial<ResolverPod> = {}): ResolverPod {
  return { address, family: 'IPv4', podName: `resolver-${address}`, uid: address, state: 'ready', ...overrides };
}

/** Pods share the resolvers' port, so each stub has a loopback address of its own. */
describe('resolver pods over real connections', () => {
  const stubs: StubResolver[] = [];
  let transport: UndiciResolverTransport;

  beforeEach(() => {
    transport = new UndiciResolverTransport();
  });

  afterEach(async () => {
    await transport.close();
    await Promise.all(stubs.splice(0).map((stub) => stub.stop()));
  });

  async function aStub(host = '127.0.0.1', port = 0): Promise<StubResolver> {
    const stub = await StubResolver.start({ host, port });
    stubs.push(stub);
    return stub;
  }

  function setup(port: number, pods: ResolverPod[] = [podAt('127.0.0.1')], clock: Clock = systemClock) {
    const client = new ResolverClient(transport, clock, port);
    const known = { hasSynced: true, list: () => pods, onChange: () => undefined };
    const rehearsals = new Rehearsals(client, known, clock);
    const outcomesOf = async (subject: RehearsalSubject) =>
      (await rehearsals.rehearse(subject, pods, signal)).map(({ outcome }) => outcome);
    return { client, rehearsals, outcomesOf, activity: new ResolverActivity(client, known), pods };
  }

  it('asks each pod about 200 services in a handful of calls over a few connections', async () => {
    const stub = await aStub();
    stub.tell({ namespace: 'shop', service: 's7', listening: false });
    const { outcomesOf } = setup(stub.port);

    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, index) => outcomesOf(aSubject(`s${index}`))));

    expect(outcomes.flatMap(([outcome], index) => (outcome === 'can' ? [] : [index]))).toEqual([7]);
    expect(stub.rehearsals.reduce((sum, size) => sum + size, 0)).toBe(200);
    expect(stub.rehearsals.length).toBeLessThanOrEqual(5);
    expect(stub.connections).toBeLessThanOrEqual(4);
  });

  it('reads the answer about as many services as one call may have', async () => {
    const stub = await aStub();
    const { client } = setup(stub.port);
    const routes = Array.from({ length: 20 }, (_, index) => ({ port: 80 + index, resolverPort: 20_000 + index }));
    const subjects = Array.from({ length: maxRehearsalSubjects }, (_, index) => ({
      namespace: 'n'.repeat(63),
      service: `${'s'.repeat(59)}${index}`,
      routes,
    }));

    const answers = await client.rehearse(podAt('127.0.0.1'), subjects, signal);

    expect(answers).toHaveLength(maxRehearsalSubjects);
    expect(answers.at(-1)?.at(-1)).toEqual({ port: 99, resolverPort: 20_019, listening: true, connects: 'yes' });
  });

  it('says what each pod cannot do', async () => {
    const stub = await aStub('127.0.0.1');
    await aStub('127.0.0.2', stub.port).then((other) => other.tell({ ...web, connects: 'no', problem: 'ETIMEDOUT' }));
    await aStub('127.0.0.3', stub.port).then((other) => other.behave({ status: 500 }));
    const pods = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'].map((address) => podAt(address));
    const { outcomesOf } = setup(stub.port, pods);

    const outcomes = await outcomesOf(aSubject());

    expect(outcomes).toEqual([
      'can',
      { cannot: 'cannot reach a pod on port 80 (ETIMEDOUT): a NetworkPolicy or a mesh may be in the way' },
      { cannot: expect.stringContaining('status 500') },
      { cannot: expect.stringContaining('cannot be reached') },
    ]);
  });

  it('forgives a delay within its limit', async () => {
    const stub = await aStub();
    stub.behave({ delayMs: 50 });
    const { activity, outcomesOf } = setup(stub.port);

    await expect(outcomesOf(aSubject())).resolves.toEqual(['can']);
    await expect(activity.silence([web], signal)).resolves.toMatchObject({ state: 'silent' });
  });

  it('waits for a slow pod no longer than its limit, and leaves the others their answers', async () => {
    const clock = new FakeClock();
    const stub = await aStub('127.0.0.1');
    const slow = await aStub('127.0.0.2', stub.port);
    slow.behave({ manner: 'hang' });
    const { activity, outcomesOf, rehearsals } = setup(stub.port, [podAt('127.0.0.1'), podAt('127.0.0.2')], clock);
    const told: string[] = [];
    const outcomes = outcomesOf(aSubject()).finally(() => told.push('outcomes'));
    await clock.advance(gatherMs);
    await eventually(() => rehearsals.known(aSubject(), podAt('127.0.0.1')) && slow.rehearsals.length === 1);

    const silence = activity.silence([web], signal).finally(() => told.push('silence'));
    await eventually(() => slow.activityCalls.length === 1);
    await clock.advance(1_999);
    const before = [...told];
    await clock.advance(1);
    await silence;
    await clock.advance(5_000 - 2_000 - gatherMs - 1);
    const then = [...told];
    await clock.advance(1);

    await expect(outcomes).resolves.toEqual(['can', { cannot: 'did not answer within 5 s' }]);
    await expect(silence).resolves.toEqual({ state: 'unknown', problem: expect.stringContaining('did not answer within 2 s') });
    expect([before, then]).toEqual([[], ['silence']]);
  });

  it.each([
    ['the body must be JSON', 'hello'],
    ['services must be a list', '{"services":7}'],
    ['services must have 1 entries', '{"services":[]}'],
  ])('trusts no nonsense: %s', async (mistake, body) => {
    const stub = await aStub();
    stub.behave({ body });
    const { outcomesOf } = setup(stub.port);

    await expect(outcomesOf(aSubject())).resolves.toEqual([{ cannot: expect.stringContaining(mistake) }]);
  });

  it('does not read an answer without end', async () => {
    let isCutOff = false;
    const server = await RawServer.start((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65_536)));
      };
      response
        .writeHead(200)
        .on('drain', more)
        .on('close', () => (isCutOff = true));
      more();
    });
    const { outcomesOf } = setup(server.port);

    const outcomes = await outcomesOf(aSubject()).finally(() => transport.close());

    expect(outcomes).toEqual([{ cannot: expect.stringContaining('the body must be at most 4194304 bytes') }]);
    await eventually(() => isCutOff);
    await server.stop();
  });

  it('follows no redirect', async () => {
    const stub = await aStub();
    const other = await aStub();
    stub.behave({ status: 307, location: `http://127.0.0.1:${other.port}/rehearse` });
    const { outcomesOf } = setup(stub.port);

    await expect(outcomesOf(aSubject())).resolves.toEqual([{ cannot: expect.stringContaining('status 307') }]);
    expect(other.rehearsals).toEqual([]);
  });

  it('asks a pod by its IPv6 address', async () => {
    const stub = await aStub('::1');
    stub.tell({ ...web, open: 0, lastRequestAgoMs: 1_500 });
    const { outcomesOf, activity } = setup(stub.port, [podAt('::1', { family: 'IPv6' })]);

    await expect(outcomesOf(aSubject())).resolves.toEqual(['can']);
    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'silent', forMs: 1_500, since: 'a request' });
  });

  it('tells what goes through any pod', async () => {
    const stub = await aStub('127.0.0.1');
    const other = await aStub('127.0.0.2', stub.port);
    stub.tell({ ...web, open: 0, lastRequestAgoMs: 60_000 });
    other.tell({ namespace: 'shop', service: 'api', open: 1 });
    const { activity } = setup(stub.port, [podAt('127.0.0.1'), podAt('127.0.0.2', { state: 'draining' })]);

    const snapshot = await activity.read(signal);

    expect(['web', 'api', 'other'].map((service) => snapshot.of('shop', service))).toEqual(['quiet', 'active', 'quiet']);
    await expect(activity.silence([web], signal)).resolves.toEqual({ state: 'silent', forMs: 60_000, since: 'a request' });
    expect(other.activityCalls).toEqual(['', '?namespace=shop&service=web']);
  });

  it('opens few connections to a pod, however many ask it at once', async () => {
    const stub = await aStub();
    stub.behave({ delayMs: 20 });
    const { activity } = setup(stub.port);

    const silences = await Promise.all(Array.from({ length: 40 }, () => activity.silence([web], signal)));

    expect(silences).toEqual(Array(40).fill({ state: 'silent', forMs: 86_400_000, since: 'the counting began' }));
    expect(stub.connections).toBe(4);
  });

  it('asks again when the pod cuts a connection, and gives up when it goes on', async () => {
    let cuts = 1;
    const server = await RawServer.start((_request, response) => {
      if (cuts-- > 0) response.destroy();
      else answer(response, { services: [] });
    });
    const { client } = setup(server.port);

    await expect(client.activity(podAt('127.0.0.1'), signal)).resolves.toEqual({ services: [] });
    cuts = 2;
    await expect(client.activity(podAt('127.0.0.1'), signal)).rejects.toThrow('cannot be reached');
    await server.stop();
  });

  it('lets the caller that aborts go, and nobody else', async () => {
    const stub = await aStub();
    stub.behave({ delayMs: 300 });
    const { rehearsals, outcomesOf, pods } = setup(stub.port);
    const stop = new AbortController();
    const aborted = expect(rehearsals.rehearse(aSubject('a'), pods, stop.signal)).rejects.toThrow('enough');
    const other = outcomesOf(aSubject('b'));
    await eventually(() => stub.rehearsals.length === 1);

    stop.abort(new Error('enough'));

    await aborted;
    await expect(other).resolves.toEqual(['can']);
    expect(stub.rehearsals).toEqual([2]);
  });

  it('closes its connections to a pod that left and keeps the others', async () => {
    const stub = await aStub('127.0.0.1');
    const other = await aStub('127.0.0.2', stub.port);
    const pods = [podAt('127.0.0.1'), podAt('127.0.0.2')];
    const { client, activity } = setup(stub.port, pods);
    await activity.read(signal);
    expect([stub.sockets.size, other.sockets.size]).toEqual([1, 1]);

    client.keepOnly(pods.slice(1));

    await eventually(() => stub.sockets.size === 0, soonMs);
    expect(other.sockets.size).toBe(1);
  });

  it('leaves no connection behind when closed, be it idle or waiting for an answer', async () => {
    const stub = await aStub('127.0.0.1');
    const slow = await aStub('127.0.0.2', stub.port);
    slow.behave({ manner: 'hang' });
    const { client, activity } = setup(stub.port, [podAt('127.0.0.1'), podAt('127.0.0.2')]);
    const reading = activity.silence([web], signal);
    await eventually(() => stub.activityCalls.length === 1 && slow.activityCalls.length === 1);

    await client.close();

    await eventually(() => stub.sockets.size + slow.sockets.size === 0, soonMs);
    await expect(reading).resolves.toEqual({ state: 'unknown', problem: expect.stringContaining('cannot be reached') });
    await expect(client.activity(podAt('127.0.0.1'), signal)).rejects.toThrow('cannot be reached');
  });
});

describe('StubResolver', () => {
  it('is told by HTTP what to say', async () => {
    const stub = await StubResolver.start();
    const post = (path: string, body: object) =>
      fetch(`http://127.0.0.1:${stub.port}${path}`, { method: 'POST', body: JSON.stringify(body) });
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${stub.port}${path}`)).text();

    await post('/stub/service', { ...web, open: 2 });

    await expect(get('/activity')).resolves.toBe(JSON.stringify({ services: [{ ...web, open: 2 }], countedForMs: 86_400_000 }));
    await expect(get('/readyz')).resolves.toContain('ok');
    await post('/stub/behaviour', { body: 'nonsense' });
    await expect(get('/activity')).resolves.toBe('nonsense');
    await expect(get('/stub/calls')).resolves.toBe('{"rehearsals":[],"activityCalls":["",""]}');
    await stub.stop();
  });
});
