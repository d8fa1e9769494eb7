import { ElastiService } from '@elasti/api';
import { EndpointSlice, Service, silentLogger, systemClock } from '@elasti/operator-kit';
import { FakeCaches } from '@elasti/operator-kit/testing';
import { WaitingPage } from '../../apps/resolver/src/cold-start';
import { ServiceDirectory } from '../../apps/resolver/src/directory';
import { anElastiService, type ElastiServiceDraft } from '../../apps/resolver/src/directory/elasti-service.fixture';
import { PrivateServices, ReadyPods } from '../../apps/resolver/src/endpoints';
import { aPrivateService, aSlice } from '../../apps/resolver/src/endpoints/endpoints.fixture';
import { readyToSentMs } from '../../apps/resolver/src/exchange';
import { type GateConfig, HoldingGate } from '../../apps/resolver/src/gate';
import { DEFAULT_PROXY_SETTINGS, Forwarder, ForwardingListener } from '../../apps/resolver/src/proxy';
import { closeAsPodsLeave } from '../../apps/resolver/src/traffic/leaving-pods';
import type { WakeDemand } from '../../apps/resolver/src/wake';
import { GET, OK, RawClient, RawPod, Tally, until, WEB } from './resolver-http1.fixture';

const config: GateConfig = {
  requestTimeoutMs: 60_000,
  maxRequests: 1_000,
  maxBytes: 1_000_000,
  maxRequestsPerService: 1_000,
  maxBytesPerService: 1_000_000,
  maxConcurrencyPerFreshPod: 100,
};

/** The hot path with the real gate, on caches that a test fills. */
class Awaited {
  readonly caches = new FakeCaches();
  readonly tally = new Tally();
  readonly wanted = new Set<WakeDemand>();
  readonly gate: HoldingGate;
  private readonly forwarder: Forwarder;
  private readonly ends: (() => Promise<void> | void)[] = [];

  constructor(overrides: Partial<GateConfig> = {}, draft: ElastiServiceDraft = {}) {
    const directory = new ServiceDirectory(this.caches);
    const services = new PrivateServices(this.caches);
    const pods = new ReadyPods(this.caches, services);
    const waker = { want: (one: WakeDemand) => void this.wanted.add(one), satisfied: (one: WakeDemand) => void this.wanted.delete(one) };
    this.gate = new HoldingGate({ ...config, ...overrides }, { directory, services, pods, waker, clock: systemClock });
    const page = new WaitingPage(this.gate);
    this.forwarder = new Forwarder({
      gate: this.gate,
      policy: {
        targetOf: () => undefined,
        answerInstead: (target, request) => page.answer(directory.find(target) ?? { coldStart: 'hold' }, target, request),
        isMovingOn: () => false,
      },
      listener: this.tally,
      settings: { ...DEFAULT_PROXY_SETTINGS, tickMs: 20 },
      clock: systemClock,
      logger: silentLogger,
    });
    closeAsPodsLeave(pods, this.forwarder);
    this.caches.of(ElastiService).put(anElastiService(draft));
    this.caches.of(Service).put(aPrivateService({ clusterIP: '127.0.0.1' }));
  }

  async client(target = WEB): Promise<RawClient> {
    const listener = await ForwardingListener.open(this.forwarder, { port: 0, host: '127.0.0.1' }, { target });
    const client = await RawClient.connect(listener.port);
    this.ends.push(() => {
      client.socket.destroy();
      return listener.close();
    });
    return client;
  }

  async pod(onData: Parameters<typeof RawPod.start>[0] = (socket) => void socket.write(OK)): Promise<RawPod> {
    const pod = await RawPod.start(onData);
    this.ends.push(() => pod.stop());
    return pod;
  }

  /** This port of this machine is the one ready pod from now on. */
  ready(port: number, pod = 'a'): void {
    const ports = [{ name: 'http', port, protocol: 'TCP' }];
    this.caches.of(EndpointSlice).put(aSlice([{ pod, address: '127.0.0.1' }], { ports }));
  }

  async stop(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
    this.forwarder.stop();
    await until('all places to be given back', () => this.gate.held + this.tally.open + (this.gate.activityOf(WEB)?.open ?? 0) === 0);
    this.gate.close();
  }
}

describe('the hot path with the gate', () => {
  let awaited: Awaited;
  const begin = (...parameters: ConstructorParameters<typeof Awaited>): Awaited => (awaited = new Awaited(...parameters));
  afterEach(() => awaited.stop());

  const areHeld = (count: number): Promise<void> => until(`${count} to be held`, () => awaited.gate.held === count);

  it('goes on trying a pod that is ready before it listens', async () => {
    const gone = await begin().pod();
    const { port } = gone;
    await gone.stop();
    awaited.ready(port);
    const client = await awaited.client();

    client.send(GET);
    await areHeld(1);
    awaited.ready((await awaited.pod()).port);

    await expect(client.until(/ok$/)).resolves.toBe(OK);
  });

  it('goes on trying a pod in front of which something takes connections before the pod does', async () => {
    let closed = 0;
    const pod = await begin().pod((socket) => {
      if (closed++ < 5) socket.destroy();
      else socket.write(OK);
    });
    awaited.ready(pod.port);
    const client = await awaited.client();

    const answer = await client.send(GET).until(/ok$/);

    expect([answer, pod.connections.length]).toEqual([OK, 6]);
  });

  it('goes on serving a kept connection when the ElastiService goes, and closes it once the pods are not known any more', async () => {
    const pod = await begin().pod();
    awaited.ready(pod.port);
    const client = await awaited.client();
    await client.send(GET).until(/ok$/);

    awaited.caches.of(ElastiService).remove({ namespace: 'shop', name: 'web' });
    await client.send(GET).until(/ok[^]+ok$/);
    awaited.caches.of(EndpointSlice).put(aSlice([]));
    await client.send(GET).until(({ ended }) => ended);

    expect(client.text).toMatch(/HTTP\/1\.1 404 [^]*Connection: close\r\n[^]*unknown/);
    expect(awaited.tally.statuses).toEqual([200, 200, 404]);
  });

  it('lets a fresh pod have no more held requests at once than is set, oldest first', async () => {
    begin({ maxConcurrencyPerFreshPod: 2 });
    const pod = await awaited.pod(() => undefined);
    for (const path of ['/1', '/2', '/3', '/4', '/5']) {
      (await awaited.client()).send(GET.replace('/', path));
      await until('it to be held', () => awaited.gate.held === Number(path.slice(1)));
    }
    const paths = (): string[] => [...pod.received.matchAll(/GET (\S+)/g)].map(([, path]) => path ?? '').sort();

    awaited.ready(pod.port);
    await until('two requests', () => paths().length === 2);
    expect([paths(), awaited.gate.held]).toEqual([['/1', '/2'], 3]);
    pod.connections[0]?.write(OK);

    await until('the third', () => paths().length === 3);
    expect([paths(), awaited.gate.held]).toEqual([['/1', '/2', '/3'], 2]);
  });

  it.each([
    ['requests of a Service', {}, { queue: { maxRequests: 1 } }],
    ['requests in all', { maxRequests: 1 }, {}],
    ['bytes of a Service', {}, { queue: { maxBytes: 3_000 } }],
    ['bytes in all', { maxBytes: 3_000 }, {}],
  ])(
    'answers 503 at once to what is beyond the %s, by what it may come to hold, and says when to come back',
    async (_name, limits, draft) => {
      begin(limits, draft);
      const [first, second] = [await awaited.client(), await awaited.client()];
      const post = 'POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 2000\r\n\r\n';
      first.send(post);
      await areHeld(1);

      await second.send(post).until(({ ended }) => ended);

      expect(second.text).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 5\r\n[^]*shop\/web:80: queue full: /);
      expect(awaited.gate.held).toBe(1);
    },
  );

  it('answers 504 to what has waited too long, naming the service and what was waited for', async () => {
    const client = await begin({ requestTimeoutMs: 100 }).client();

    await client.send(GET).until(/^HTTP\/1\.1 504 [^]*shop\/web:80: timed out: waited \d+ s for a ready pod\n$/);
  });

  it('sends what was held through the private Service where the ElastiService says so', async () => {
    begin({}, { forward: 'service' });
    const [service, pod] = [await awaited.pod(), await awaited.pod()];
    const ports = [{ name: 'http', port: service.port, protocol: 'TCP' }];
    awaited.caches.of(Service).put(aPrivateService({ clusterIP: '127.0.0.1', ports }));
    const client = await awaited.client({ ...WEB, port: service.port });
    client.send(GET);
    await areHeld(1);

    awaited.ready(pod.port);

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect([service.connections.length, pod.connections.length]).toEqual([1, 0]);
  });

  it('keeps no connection through the Service beyond the end of a pod to which it may lead', async () => {
    begin({}, { forward: 'service' });
    const service = await awaited.pod();
    const client = await awaited.client({ ...WEB, port: service.port });
    awaited.caches
      .of(Service)
      .put(aPrivateService({ clusterIP: '127.0.0.1', ports: [{ name: 'http', port: service.port, protocol: 'TCP' }] }));
    awaited.ready(8080, 'first');
    await client.send(GET).until(/ok$/);

    awaited.ready(8080, 'second');
    await client.send(GET).until(/ok[^]+ok$/);

    expect(service.connections).toHaveLength(2);
  });

  it('tells how long it took from the ready pod to the first byte', async () => {
    const client = await begin().client();
    const pod = await awaited.pod();
    client.send(GET);
    await areHeld(1);
    for (const demand of awaited.wanted) demand.wakeAccepted?.();

    awaited.ready(pod.port);
    await client.until(/ok$/);

    const [moments] = awaited.tally.moments;
    expect(moments && readyToSentMs(moments)).toBeGreaterThan(0);
    expect(moments?.wakeAcceptedAtMs).toBeGreaterThan(moments?.heldAtMs ?? Infinity);
    expect(moments?.readyAtMs).toBeGreaterThan(moments?.wakeAcceptedAtMs ?? Infinity);
  });

  it('shows browsers a page that wakes the Service, and holds everyone else', async () => {
    begin({}, { coldStart: 'page' });
    const [browser, script] = [await awaited.client(), await awaited.client()];
    const navigation = GET.replace('\r\n\r\n', '\r\nAccept: text/html,*/*;q=0.8\r\n\r\n');

    await browser.send(navigation).until(/^HTTP\/1\.1 503 [^]*Retry-After: 2\r\nCache-Control: no-store\r\n[^]*<\/html>\n$/);
    expect([awaited.wanted.size, awaited.gate.held]).toEqual([1, 0]);
    script.send(GET);
    await areHeld(1);
    awaited.ready((await awaited.pod()).port);

    await script.until(/ok$/);
    await browser.send(navigation).until(/ok$/);
    expect(awaited.wanted.size).toBe(0);
  });
});
