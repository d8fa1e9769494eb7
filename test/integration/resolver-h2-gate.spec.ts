import type { ServerHttp2Stream } from 'node:http2';
import { ElastiService } from '@elasti/api';
import { EndpointSlice, Service, silentLogger, systemClock } from '@elasti/operator-kit';
import { FakeCaches } from '@elasti/operator-kit/testing';

import { ServiceDirectory } from '../../apps/resolver/src/directory';
import { anElastiService } from '../../apps/resolver/src/directory/elasti-service.fixture';
import { PrivateServices, ReadyPods } from '../../apps/resolver/src/endpoints';
import { aPrivateService, aSlice } from '../../apps/resolver/src/endpoints/endpoints.fixture';
import { HoldingGate } from '../../apps/resolver/src/gate';
import { H2Relay } from '../../apps/resolver/src/h2';
import { DEFAULT_PROXY_SETTINGS, Forwarder, ForwardingListener } from '../../apps/resolver/src/proxy';
import { closeAsPodsLeave } from '../../apps/resolver/src/traffic/leaving-pods';
import { answerOk, H2Client, H2Pod } from './resolver-h2.fixture';
import type { OnStream } from './resolver-h2.fixture';
import { Tally, until, WEB } from './resolver-http1.fixture';

/** The relay with the real gate, for a Service that is forwarded to as such; what answers there is one pod of many. */
class Forwarded {
  private readonly caches = new FakeCaches();
  private readonly ends: (() => Promise<void> | void)[] = [];

  static async start(onStream: OnStream): Promise<{ forwarded: Forwarded; client: H2Client }> {
    const forwarded = new Forwarded();
    const service = await H2Pod.start(onStream);
    forwarded.ends.push(() => service.stop());
    const client = await forwarded.open(service.port);
    return { forwarded, client };
  }

  /** These are the ready pods from now on. */
  ready(...pods: string[]): void {
    this.caches.of(EndpointSlice).put(aSlice(pods.map((pod) => ({ pod, address: '127.0.0.1' }))));
  }

  async stop(): Promise<void> {
    for (const end of this.ends.reverse()) await end();
  }

  private async open(port: number): Promise<H2Client> {
    const { caches, ends } = this;
    const directory = new ServiceDirectory(caches);
    const services = new PrivateServices(caches);
    const pods = new ReadyPods(caches, services);
    const limits = { maxRequests: 10, maxBytes: 1_000_000, maxRequestsPerService: 10, maxBytesPerService: 1_000_000 };
    const waker = { want: () => undefined, satisfied: () => undefined };
    const gate = new HoldingGate(
      { ...limits, requestTimeoutMs: 60_000, maxConcurrencyPerFreshPod: 100 },
      { directory, services, pods, waker, clock: systemClock },
    );
    const forwarder = new Forwarder({
      gate,
      policy: { targetOf: () => undefined, answerInstead: () => undefined, isMovingOn: () => false },
      listener: new Tally(),
      settings: { ...DEFAULT_PROXY_SETTINGS, tickMs: 20 },
      clock: systemClock,
      logger: silentLogger,
      h2: new H2Relay(),
    });
    closeAsPodsLeave(pods, forwarder);
    caches.of(ElastiService).put(anElastiService({ forward: 'service' }));
    caches.of(Service).put(aPrivateService({ clusterIP: '127.0.0.1', ports: [{ name: 'http', port, protocol: 'TCP' }] }));
    const listener = await ForwardingListener.open(forwarder, { port: 0, host: '127.0.0.1' }, { target: { ...WEB, port } });
    const client = H2Client.connect(listener.port);
    ends.push(async () => {
      client.stop();
      await listener.close();
      forwarder.stop();
      await until('all places to be given back', () => (gate.activityOf(WEB)?.open ?? 0) === 0);
      gate.close();
    });
    return client;
  }
}

describe('HTTP/2 clients of a Service that is forwarded to as such', () => {
  let forwarded: Forwarded;
  afterEach(() => forwarded.stop());

  async function begin(onStream: OnStream): Promise<H2Client> {
    const begun = await Forwarded.start(onStream);
    ({ forwarded } = begun);
    return begun.client;
  }

  it('are sent on when a pod leaves to which their connection may lead, and lose nothing that is under way', async () => {
    const streams: ServerHttp2Stream[] = [];
    const client = await begin((stream) => void streams.push(stream));
    forwarded.ready('first', 'second');
    const answer = client.ask({ ':method': 'POST' }, 'body');
    await until('the request is there', () => streams.length === 1);

    forwarded.ready('second');
    await until('the client is told', () => client.goaways.length === 1);
    streams.forEach(answerOk);

    await expect(answer).resolves.toMatchObject({ status: 200 });
    await until('the client is gone', () => client.closed);
    expect(client.goaways[0]).toBe(0);
  });

  it('stay when pods are added', async () => {
    const client = await begin(answerOk);
    forwarded.ready('first');
    await client.ask();

    forwarded.ready('first', 'second');
    await client.ask();

    expect(client.goaways).toEqual([]);
  });
});
