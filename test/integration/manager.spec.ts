import { lookup } from 'node:dns/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeSim } from '@elasti/kube-sim';
import {
  ConfigMap,
  ControllerManager,
  type ControllerManagerOptions,
  KubeClient,
  type LeaderRunnable,
  Lease,
  type ReplicaRunnable,
} from '@elasti/operator-kit';
import { eventually } from '../conformance/eventually';

const timing = { leaseDurationMs: 3_000, renewDeadlineMs: 2_000, retryPeriodMs: 200 };

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

class Webhook implements ReplicaRunnable {
  readonly name = 'webhook';
  private readonly server: Server = createServer((_request, response) => response.end('allowed'));

  constructor(private readonly onStart: () => Promise<void> = () => Promise.resolve()) {}

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async start(): Promise<void> {
    await this.onStart();
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('ControllerManager over real connections', () => {
  let sim: KubeSim;
  const cleanups: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    sim = await KubeSim.start();
  });

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    await sim.stop();
  });

  function aManager(options: Partial<ControllerManagerOptions> = {}) {
    const client = KubeClient.forServer({ server: sim.url });
    const local = { port: 0, host: '127.0.0.1' };
    const manager = new ControllerManager({ client, name: 'webapp-operator', probes: local, metrics: local, ...options });
    const stop = new AbortController();
    const start = () => {
      const running = manager.start(stop.signal);
      cleanups.push(async () => {
        stop.abort();
        await running.catch(() => undefined);
        await client.close();
      });
      return running;
    };
    return { manager, client, start, stop, url: (path: string) => urlOf(manager, path) };
  }

  function urlOf({ addresses }: ControllerManager, path: string): string {
    const port = path.startsWith('/metrics') ? addresses.metrics?.port : addresses.probes?.port;
    return `http://127.0.0.1:${port ?? 0}${path}`;
  }

  const ask = async (url: string) => {
    const response = await fetch(url);
    return { status: response.status, body: await response.text() };
  };
  const statusOf = async (url: string) => (await ask(url)).status;

  function aController(overrides: Partial<LeaderRunnable> = {}): LeaderRunnable {
    return { name: 'webapps', warmUp: () => Promise.resolve(), run: untilAborted, ...overrides };
  }

  it('leaves no listener behind when it is stopped before one has begun to listen', async () => {
    const { manager, start, stop } = aManager({ probes: { port: 0, host: 'localhost' }, metrics: undefined });
    const running = start();

    stop.abort();
    await running;
    await lookup('localhost');

    expect(manager.addresses.probes).toBeUndefined();
  });

  it('Start order: probes and metrics, webhooks, caches (wait), then leader-elected controllers', async () => {
    const seen: Record<string, unknown> = {};
    const letListsThrough = sim.faults.inject({
      effect: { kind: 'server-error', code: 503 },
      when: ({ resource }) => resource === 'configmaps',
    });
    const { manager, start, url } = aManager({ leaderElection: { namespace: 'default', name: 'operator', ...timing } });
    const cache = manager.caches.acquire(ConfigMap);
    const webhook = new Webhook(async () => {
      seen.atWebhookStart = [await statusOf(url('/healthz')), await statusOf(url('/metrics')), await statusOf(url('/readyz'))];
    });
    manager.addToEveryReplica(webhook);
    manager.add(
      aController({
        warmUp: async () => {
          seen.atWarmUp = { synced: cache.hasSynced, webhook: await statusOf(webhook.url) };
        },
        run: (signal) => {
          seen.atRun = { leads: manager.isLeader };
          return untilAborted(signal);
        },
      }),
    );

    void start();
    await eventually(async () => expect(await statusOf(webhook.url)).toBe(200));
    expect(seen).toEqual({ atWebhookStart: [200, 200, 500] });
    expect((await ask(url('/readyz?verbose'))).body).toContain('[-]caches failed');

    letListsThrough();
    await eventually(async () => expect(await statusOf(url('/readyz'))).toBe(200));
    await eventually(() => expect(seen.atRun).toEqual({ leads: true }));
    expect(seen.atWarmUp).toEqual({ synced: true, webhook: 200 });
  });

  it('Non-leaders serve probes, metrics, webhooks and cached reads', async () => {
    const leaderElection = { namespace: 'default', name: 'operator', ...timing };
    const leader = aManager({ leaderElection });
    leader.manager.add(aController());
    void leader.start();
    await eventually(() => expect(leader.manager.isLeader).toBe(true));
    const standby = aManager({ leaderElection });
    const webhook = new Webhook();
    let hasRun = false;
    const cache = standby.manager.caches.acquire(ConfigMap);
    standby.manager.addToEveryReplica(webhook);
    standby.manager.add(
      aController({
        run: (signal) => {
          hasRun = true;
          return untilAborted(signal);
        },
      }),
    );
    void standby.start();
    const metadata = { namespace: 'default', name: 'settings' };
    await leader.client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { colour: 'blue' } });

    await eventually(() => expect(cache.get(metadata)?.data).toEqual({ colour: 'blue' }));
    await eventually(async () => expect(await ask(standby.url('/readyz'))).toEqual({ status: 200, body: 'ok' }));

    expect(await statusOf(standby.url('/healthz'))).toBe(200);
    expect(await ask(webhook.url)).toEqual({ status: 200, body: 'allowed' });
    expect((await ask(standby.url('/metrics'))).body).toContain('leader_election_master_status{name="operator"} 0');
    expect([standby.manager.isLeader, hasRun]).toEqual([false, false]);
  });

  it('answers probes the way Kubernetes does', async () => {
    const { manager, start, url } = aManager();
    let isFine = true;
    manager.addHealthCheck('disk', () => {
      if (!isFine) throw new Error('/secret/path is full');
    });
    void start();
    await eventually(async () => expect(await statusOf(url('/readyz'))).toBe(200));

    expect(await ask(url('/healthz'))).toEqual({ status: 200, body: 'ok' });
    expect((await ask(url('/healthz?verbose'))).body).toBe('[+]ping ok\n[+]runnables ok\n[+]lease ok\n[+]disk ok\nhealthz check passed\n');
    isFine = false;
    expect(await statusOf(url('/healthz'))).toBe(500);
    expect((await ask(url('/healthz'))).body).toContain('[-]disk failed: reason withheld');
    expect(await statusOf(url('/healthz?exclude=disk'))).toBe(200);
    expect(await statusOf(url('/healthz/ping'))).toBe(200);
    expect(await statusOf(url('/healthz/nonsense'))).toBe(404);
    expect((await fetch(url('/healthz'), { method: 'POST' })).status).toBe(405);
  });

  it('serves probes and metrics on one port when asked to', async () => {
    const port = await freePort();
    const both = { port, host: '127.0.0.1' };
    const { start } = aManager({ probes: both, metrics: both });
    void start();

    await eventually(async () => expect(await statusOf(`http://127.0.0.1:${port}/readyz`)).toBe(200));
    expect(await statusOf(`http://127.0.0.1:${port}/metrics`)).toBe(200);
  });

  it('says which port is taken', async () => {
    const first = aManager();
    void first.start();
    await eventually(() => expect(first.manager.addresses.probes).toBeDefined());

    const second = aManager({ probes: { port: first.manager.addresses.probes?.port ?? 0, host: '127.0.0.1' } });

    await expect(second.start()).rejects.toThrow(/probes failed: cannot listen on 127\.0\.0\.1:\d+.*give probes another port/);
  });

  it('leaves no listener behind and gives the lease back', async () => {
    const { manager, client, start, stop, url } = aManager({ leaderElection: { namespace: 'default', name: 'operator', ...timing } });
    manager.caches.acquire(ConfigMap);
    manager.add(aController());
    const running = start();
    await eventually(() => expect(manager.isLeader).toBe(true));
    const probe = url('/healthz');

    stop.abort();
    await running;

    await expect(fetch(probe)).rejects.toThrow();
    expect((await client.get(Lease, { namespace: 'default', name: 'operator' })).spec?.holderIdentity).toBe('');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
