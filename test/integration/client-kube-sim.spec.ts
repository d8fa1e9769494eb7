import { KubeSim } from '@elasti/kube-sim';
import {
  AlreadyExistsError,
  ConfigMap,
  ConflictError,
  Deployment,
  GoneError,
  KubeClient,
  Namespace,
  NotFoundError,
  ServerError,
  updateOnConflict,
  type WatchEvent,
} from '@elasti/operator-kit';

const namespace = 'default';
const configMap = (name: string, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
  data,
});
const deployment: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web' }] } },
  },
};

describe('KubeClient against a simulated API server', () => {
  let sim: KubeSim;
  let client: KubeClient;

  beforeEach(async () => {
    sim = await KubeSim.start();
    client = KubeClient.forServer({ server: sim.url });
  });

  afterEach(async () => {
    await client.close();
    await sim.stop();
  });

  it('creates, reads, replaces, patches, applies and deletes', async () => {
    const ref = { namespace, name: 'settings' };

    const created = await client.create(ConfigMap, configMap('settings', { a: '1' }));
    await client.replace(ConfigMap, { ...created, data: { a: '2' } });
    await client.patch(ConfigMap, ref, { type: 'merge', body: { data: { b: '3' } } });
    await client.patch(ConfigMap, ref, { type: 'json', operations: [{ op: 'add', path: '/data/c', value: '4' }] });
    await client.patch(ConfigMap, ref, { type: 'strategic', body: { data: { a: null } } });
    await client.apply(ConfigMap, configMap('settings', { d: '5' }), { fieldManager: 'test' });
    const read = await client.get(ConfigMap, ref);
    await client.delete(ConfigMap, ref, { preconditions: { uid: read.metadata.uid } });

    expect(read.data).toEqual({ b: '3', c: '4', d: '5' });
    await expect(client.find(ConfigMap, ref)).resolves.toBeUndefined();
    await expect(client.get(ConfigMap, ref)).rejects.toThrow(NotFoundError);
  });

  it('tells a taken name from a lost race', async () => {
    const created = await client.create(ConfigMap, configMap('settings'));
    await client.replace(ConfigMap, { ...created, data: { a: '1' } });

    await expect(client.create(ConfigMap, configMap('settings'))).rejects.toThrow(AlreadyExistsError);
    const lost = client.replace(ConfigMap, created);

    await expect(lost).rejects.toThrow(ConflictError);
    await expect(lost).rejects.not.toThrow(AlreadyExistsError);
  });

  it('brings concurrent updates of one object home, none lost', async () => {
    await client.create(ConfigMap, configMap('counter', { count: '0' }));
    const increment = (fresh: ConfigMap): ConfigMap => ({ ...fresh, data: { count: String(Number(fresh.data?.count) + 1) } });

    await Promise.all(Array.from({ length: 4 }, () => updateOnConflict(client, ConfigMap, { namespace, name: 'counter' }, increment)));

    await expect(client.get(ConfigMap, { namespace, name: 'counter' })).resolves.toMatchObject({ data: { count: '4' } });
  });

  it('reads and writes scale and status', async () => {
    const ref = { namespace, name: 'web' };
    const created = await client.create(Deployment, deployment);

    await client.replaceStatus(Deployment, { ...created, status: { replicas: 1 } });
    const scale = await client.getScale(Deployment, ref);
    await client.replaceScale(Deployment, ref, { ...scale, spec: { replicas: 5 } });

    await expect(client.get(Deployment, ref)).resolves.toMatchObject({ spec: { replicas: 5 }, status: { replicas: 1 } });
  });

  it('lists all pages, also when the token expires half way', async () => {
    for (let i = 0; i < 7; i++) await client.create(ConfigMap, configMap(`c${i}`));

    const names: (string | undefined)[] = [];
    for await (const { metadata } of client.listAll(ConfigMap, { namespace, pageSize: 2 })) {
      names.push(metadata.name);
      if (names.length === 2) {
        await client.create(ConfigMap, configMap('z-late'));
        sim.compact();
      }
    }

    expect(names.filter((name) => name?.startsWith('c')).sort()).toEqual(['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
    expect(new Set(names).size).toBe(names.length);
  });

  it('deletes what a selector names', async () => {
    await client.create(ConfigMap, { ...configMap('keep'), metadata: { namespace, name: 'keep', labels: { app: 'a' } } });
    await client.create(ConfigMap, { ...configMap('drop'), metadata: { namespace, name: 'drop', labels: { app: 'b' } } });

    await client.deleteAll(ConfigMap, { namespace, labelSelector: 'app=b' });

    await expect(client.find(ConfigMap, { namespace, name: 'keep' })).resolves.toBeDefined();
    await expect(client.find(ConfigMap, { namespace, name: 'drop' })).resolves.toBeUndefined();
  });

  it('watches from a version on', async () => {
    const { metadata } = await client.list(ConfigMap, { namespace });
    const created = await client.create(ConfigMap, configMap('settings'));
    await client.replace(ConfigMap, { ...created, data: { a: '1' } });
    await client.delete(ConfigMap, { namespace, name: 'settings' });

    const events: WatchEvent<ConfigMap>[] = [];
    for await (const event of client.watch(ConfigMap, { namespace, resourceVersion: metadata.resourceVersion })) {
      events.push(event);
      if (event.type === 'DELETED') break;
    }

    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('streams a list and goes on with what changes', async () => {
    await client.create(ConfigMap, configMap('settings'));
    const initial: string[] = [];

    const options = { namespace, sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan' } as const;
    for await (const event of client.watch(ConfigMap, options)) {
      if (event.type === 'BOOKMARK' && event.object.metadata.annotations?.['k8s.io/initial-events-end']) break;
      initial.push(`${event.type} ${event.object.metadata.name}`);
    }

    expect(initial).toContain('ADDED settings');
  });

  it('fails a watch from a forgotten version with a typed error', async () => {
    const { metadata } = await client.list(ConfigMap);
    for (let i = 0; i < 3; i++) await client.create(ConfigMap, configMap(`c${i}`));
    sim.compact();

    const watch = client.watch(ConfigMap, { resourceVersion: metadata.resourceVersion })[Symbol.asyncIterator]();

    await expect(watch.next()).rejects.toThrow(GoneError);
  });

  it('waits when it is throttled', async () => {
    sim.faults.inject({ effect: { kind: 'too-many-requests', retryAfterSeconds: 0 }, times: 2 });

    await expect(client.create(ConfigMap, configMap('settings'))).resolves.toBeDefined();
  });

  it('shows the trouble of the server as it is', async () => {
    sim.faults.inject({ effect: { kind: 'server-error', code: 503 }, times: 1 });

    await expect(client.get(Namespace, { name: 'default' })).rejects.toThrow(ServerError);
  });

  it('does not show a connection that was cut once under a safe request', async () => {
    sim.faults.inject({ effect: { kind: 'cut' }, times: 1 });

    await expect(client.get(Namespace, { name: 'default' })).resolves.toMatchObject({ metadata: { name: 'default' } });
  });

  it('discovers kinds', async () => {
    await expect(client.discovery().resourceFor('apps/v1', 'Deployment')).resolves.toEqual(Deployment);
  });
});
