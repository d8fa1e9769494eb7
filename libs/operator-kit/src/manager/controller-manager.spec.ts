import { Registry } from 'prom-client';
import { ConfigMap, KubeClient, type KubeReader, type KubeWriter, Node, Pod } from '../client';
import { FakeLeases } from '../leader-election/fake-leases.fixture';
import { LeaseLostError } from '../leader-election';
import { KitMetrics } from '../metrics';
import { FakeClock, settle } from '../testing';
import { ControllerManager, type ControllerManagerOptions } from './controller-manager';
import { CacheSyncTimeoutError, RunnableFailedError, ShutdownTimeoutError } from './manager.errors';
import { FakeCaches, aController, aWebhook, watchOutcome } from './manager.fixture';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

function setup(options: Partial<ControllerManagerOptions> = {}, defaultNamespace?: KubeClient['defaultNamespace']) {
  const clock = new FakeClock();
  const journal: string[] = [];
  const caches = new FakeCaches(journal);
  const leases = new FakeLeases();
  const leaseClient = Object.assign(leases.connect(), { defaultNamespace });
  const manager = new ControllerManager({
    // The manager itself only ever uses the client for leases and events.
    client: leaseClient as unknown as KubeReader & KubeWriter,
    name: 'webapp-operator',
    caches,
    clock,
    kitMetrics: new KitMetrics(new Registry()),
    ...options,
  });
  const stop = new AbortController();
  const start = () => {
    const running = manager.start(stop.signal);
    endings.push(async () => {
      stop.abort();
      await clock.advance(60_000);
    });
    return { running, outcome: watchOutcome(running) };
  };
  return { clock, journal, caches, leases, leaseClient, manager, stop, start };
}

const elected = { leaderElection: { namespace: 'shop', name: 'operator', identity: 'me' } };

describe('ControllerManager, starting', () => {
  it('keeps the process alive until it has stopped, also while nothing but backoff is going on', async () => {
    const { stop, start, caches } = setup();
    const heldAlive = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = heldAlive();
    caches.fill();

    const { running } = start();
    expect(heldAlive()).toBe(before + 1);

    stop.abort();
    await running;
    expect(heldAlive()).toBeLessThanOrEqual(before);
  });

  it("counts into its client's metrics unless it is given others", () => {
    const client = KubeClient.forServer({ server: 'http://127.0.0.1:1' });
    const kitMetrics = new KitMetrics();

    expect(setup({ client, kitMetrics: undefined }).manager.metrics).toBe(client.metrics);
    expect(setup({ client, kitMetrics }).manager.metrics).toBe(kitMetrics);
  });

  it('holds the election in the namespace that the client runs in', async () => {
    const { leases, caches, start } = setup({ leaderElection: { name: 'operator', identity: 'me' } }, 'shop');
    caches.fill();

    start();
    await settle();

    expect(leases.lease?.metadata.namespace).toBe('shop');
  });

  it('Warm-up: caches and queues fill before election', async () => {
    const { journal, manager, caches, leases, start } = setup(elected);
    const warm = Promise.withResolvers<undefined>();
    manager.caches.acquire(Pod);
    manager.add(aController('webapps', journal, { warmUp: () => warm.promise }));

    start();
    await settle();
    caches.fill();
    await settle();
    expect(leases.writes).toEqual([]);

    warm.resolve(undefined);
    await settle();
    expect(leases.lease?.spec?.holderIdentity).toBe('me');
  });

  it('nothing reconciles before it', async () => {
    const { clock, journal, manager, caches, leases, start } = setup(elected);
    leases.put({ holderIdentity: 'other', leaseDurationSeconds: 15 });
    manager.add(aController('webapps', journal));
    caches.fill();

    start();
    await clock.advance(14_999);
    expect(journal).toEqual(['caches synced', 'webapps warmed up']);
    expect(manager.isLeader).toBe(false);
    expect(manager.leaderIdentity).toBe('other');

    await clock.advance(1);
    expect(journal).toEqual(['caches synced', 'webapps warmed up', 'webapps runs']);
    expect(manager.isLeader).toBe(true);
  });

  it('leads at once when there is no election', async () => {
    const { journal, manager, start } = setup();
    manager.add(aController('webapps', journal));

    start();
    await settle();

    expect(journal).toEqual(['webapps warmed up', 'webapps runs']);
    expect(manager.isLeader).toBe(true);
  });

  it('fails clearly when the caches do not fill in 2 min', async () => {
    const { clock, journal, manager, start } = setup();
    manager.caches.acquire(Pod);
    manager.add(aController('webapps', journal));

    const { outcome } = start();
    await clock.advance(120_000);

    expect(outcome.error).toBeInstanceOf(RunnableFailedError);
    expect(outcome.error).toMatchObject({
      runnable: 'caches',
      cause: expect.any(CacheSyncTimeoutError),
      message: expect.stringContaining('pods'),
    });
    expect(journal).toEqual(['caches stopped']);
  });

  it('waits for no cache that was released', async () => {
    const { journal, manager, start } = setup();
    manager.caches.acquire(Pod).release();
    manager.add(aController('webapps', journal));

    start();
    await settle();

    expect(journal).toContain('webapps runs');
  });

  it('narrows namespaced kinds to the watched namespaces', () => {
    const { manager, caches } = setup({ watchNamespaces: ['shop', 'blog'] });

    manager.caches.acquire(Pod);
    manager.caches.acquire(ConfigMap, { namespace: 'kube-system' });
    manager.caches.acquire(Node);

    expect(caches.asked).toEqual([
      { resource: 'pods', namespaces: ['shop', 'blog'] },
      { resource: 'configmaps', namespace: 'kube-system' },
      { resource: 'nodes' },
    ]);
  });

  it('starts once', async () => {
    const { manager, stop, start } = setup();
    start();

    await expect(manager.start(stop.signal)).rejects.toThrow('started once');
  });

  it('refuses two of one name, and any once started', async () => {
    const { journal, manager, start } = setup();
    manager.add(aController('webapps', journal));

    expect(() => manager.add(aController('webapps', journal))).toThrow('cannot add webapps');
    expect(() => manager.addToEveryReplica(aWebhook('webapps', journal))).toThrow('give it another name');

    start();
    expect(() => manager.add(aController('late', journal))).toThrow('before start()');
  });
});

describe('ControllerManager, stopping', () => {
  it('Stop in reverse, 30 s grace', async () => {
    const { clock, journal, manager, caches, stop, start } = setup();
    const workers = Promise.withResolvers<undefined>();
    manager.addToEveryReplica(aWebhook('first webhook', journal));
    manager.addToEveryReplica(aWebhook('second webhook', journal));
    manager.add(aController('webapps', journal, { run: () => workers.promise }));
    caches.fill();
    const { outcome } = start();
    await settle();
    journal.length = 0;

    stop.abort();
    await clock.advance(29_999);
    expect(journal).toEqual([]);
    expect(outcome.state).toBe('pending');

    workers.resolve(undefined);
    await settle();
    expect(journal).toEqual(['caches stopped', 'second webhook stopped', 'first webhook stopped']);
    expect(outcome.state).toBe('resolved');
    expect(clock.pendingTimers).toBe(0);
  });

  it('names what outlives the grace period, and stops the rest all the same', async () => {
    const { clock, journal, manager, leases, stop, start } = setup(elected);
    manager.add(aController('stuck', journal, { run: () => new Promise(() => undefined) }));
    manager.addToEveryReplica(aWebhook('webhook', journal));
    const { outcome } = start();
    await settle();

    stop.abort();
    await clock.advance(30_000);

    expect(outcome.error).toBeInstanceOf(ShutdownTimeoutError);
    expect(outcome.error).toMatchObject({ stillRunning: ['leader-elected runnables'] });
    expect(journal.slice(-2)).toEqual(['caches stopped', 'webhook stopped']);
    expect(leases.lease?.spec?.holderIdentity).toBe('me');
    const { length } = leases.writes;
    await clock.advance(60_000);
    expect(leases.writes).toHaveLength(length);
  });

  it('gives the lease back once the controllers have stopped', async () => {
    const { journal, manager, leases, stop, start } = setup(elected);
    manager.add(aController('webapps', journal));
    const { running } = start();
    await settle();

    stop.abort();
    await running;

    expect(journal).toContain('webapps stopped');
    expect(leases.lease?.spec?.holderIdentity).toBe('');
  });

  it('stops what it has started when told to during the start', async () => {
    const { journal, manager, stop, start } = setup();
    manager.addToEveryReplica(aWebhook('slow', journal, { start: () => new Promise(() => undefined) }));
    manager.add(aController('webapps', journal));
    const { running } = start();
    await settle();

    stop.abort();
    await running;

    expect(journal).toEqual(['slow stopped']);
  });

  it('is not held up by a step that fails to stop', async () => {
    const { journal, manager, stop, start } = setup();
    manager.addToEveryReplica(aWebhook('first', journal));
    manager.addToEveryReplica(aWebhook('second', journal, { stop: () => Promise.reject(new Error('busy')) }));
    const { running } = start();
    await settle();

    stop.abort();
    await running;

    expect(journal).toContain('first stopped');
  });
});

describe('ControllerManager, failing', () => {
  it('stops with the error of a controller that fails', async () => {
    const { journal, manager, leases, start } = setup(elected);
    manager.add(aController('sound', journal));
    manager.add(aController('broken', journal, { run: () => Promise.reject(new Error('out of luck')) }));

    const { outcome } = start();
    await settle();

    expect(outcome.error).toBeInstanceOf(RunnableFailedError);
    expect(outcome.error).toMatchObject({ message: 'broken failed: out of luck' });
    expect(journal).toContain('sound stopped');
    expect(leases.lease?.spec?.holderIdentity).toBe('');
  });

  it('takes a controller that ends by itself for a failed one', async () => {
    const { journal, manager, start } = setup();
    manager.add(aController('quitter', journal, { run: () => Promise.resolve() }));

    const { outcome } = start();
    await settle();

    expect(outcome.error).toMatchObject({ message: 'quitter failed: it ended though nobody stopped it' });
  });

  it('stops with the error of a webhook that does not start', async () => {
    const { journal, manager, start } = setup();
    manager.addToEveryReplica(aWebhook('webhook', journal, { start: () => Promise.reject(new Error('port in use')) }));
    manager.add(aController('webapps', journal));

    const { outcome } = start();
    await settle();

    expect(outcome.error).toMatchObject({ message: 'webhook failed: port in use' });
    expect(journal).toEqual(['webhook stopped']);
  });

  it('stops with an error when the lease is lost, before another can hold it', async () => {
    const { clock, journal, manager, leaseClient, start } = setup(elected);
    manager.add(aController('stuck', journal, { run: () => new Promise(() => undefined) }));
    const { outcome } = start();
    await settle();

    leaseClient.trouble = 'unreachable';
    await clock.advance(14_999);
    expect(outcome.state).toBe('pending');

    await clock.advance(1);
    expect(outcome.error).toBeInstanceOf(LeaseLostError);
    expect(clock.pendingTimers).toBe(0);
  });
});
