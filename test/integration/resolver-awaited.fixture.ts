import { ElastiService } from '@elasti/api';
import { EndpointSlice, Service, silentLogger, systemClock } from '@elasti/operator-kit';
import { FakeCaches } from '@elasti/operator-kit/testing';
import { WaitingPage } from '../../apps/resolver/src/cold-start';
import { ServiceDirectory } from '../../apps/resolver/src/directory';
import { anElastiService, type ElastiServiceDraft } from '../../apps/resolver/src/directory/elasti-service.fixture';
import { PrivateServices, ReadyPods } from '../../apps/resolver/src/endpoints';
import { aPrivateService, aSlice } from '../../apps/resolver/src/endpoints/endpoints.fixture';
import { type GateConfig, HoldingGate } from '../../apps/resolver/src/gate';
import { H2Relay } from '../../apps/resolver/src/h2';
import { DEFAULT_PROXY_SETTINGS, Forwarder, ForwardingListener } from '../../apps/resolver/src/proxy';
import type { WakeDemand } from '../../apps/resolver/src/wake';
import { OK, RawClient, RawPod, Tally, until, WEB } from './resolver-http1.fixture';

const config: GateConfig = {
  requestTimeoutMs: 60_000,
  maxRequests: 1_000,
  maxBytes: 1_000_000,
  maxRequestsPerService: 1_000,
  maxBytesPerService: 1_000_000,
  maxConcurrencyPerFreshPod: 100,
};

/** The hot path with the real gate, on caches that a test fills. */
export class Awaited {
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
      h2: new H2Relay(),
    });
    this.caches.of(ElastiService).put(anElastiService(draft));
    this.caches.of(Service).put(aPrivateService({ clusterIP: '127.0.0.1' }));
  }

  /** The port of a new listener for this Service. */
  async listen(target = WEB): Promise<number> {
    const listener = await ForwardingListener.open(this.forwarder, { port: 0, host: '127.0.0.1' }, { target });
    this.ends.push(() => listener.close());
    return listener.port;
  }

  async client(target = WEB): Promise<RawClient> {
    const client = await RawClient.connect(await this.listen(target));
    this.ends.push(() => void client.socket.destroy());
    return client;
  }

  async pod(onData: Parameters<typeof RawPod.start>[0] = (socket) => void socket.write(OK)): Promise<RawPod> {
    const pod = await RawPod.start(onData);
    this.ends.push(() => pod.stop());
    return pod;
  }

  /** This port of this machine is the one ready pod from now on. */
  ready(port: number): void {
    const ports = [{ name: 'http', port, protocol: 'TCP' }];
    this.caches.of(EndpointSlice).put(aSlice([{ pod: 'a', address: '127.0.0.1' }], { ports }));
  }

  async stop(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
    this.forwarder.stop();
    await until('all places to be given back', () => this.gate.held + this.tally.open + (this.gate.activityOf(WEB)?.open ?? 0) === 0);
    this.gate.close();
  }
}
