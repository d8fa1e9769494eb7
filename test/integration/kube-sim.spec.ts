import { connect } from 'node:net';
import { KubeSim } from '@elasti/kube-sim';
import { eventually } from '../eventually';
import { Agent, fetch as fetchWith } from 'undici';
import { CONFIG_MAPS, Watch, call, configMap, summary } from './kube-sim-wire';

describe('KubeSim', () => {
  let sim: KubeSim;

  beforeEach(async () => {
    sim = await KubeSim.start();
  });

  afterEach(() => sim.stop());

  it('starts with the namespaces that every cluster has', async () => {
    const { body } = await call(sim, 'GET', '/api/v1/namespaces');

    expect(body.items?.map(({ metadata }) => metadata.name)).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  });

  it('counts requests by verb and resource', async () => {
    await call(sim, 'POST', CONFIG_MAPS, configMap('a'));
    await call(sim, 'GET', CONFIG_MAPS);
    await call(sim, 'GET', CONFIG_MAPS);

    expect([sim.requests.of('create', 'configmaps'), sim.requests.of('list', 'configmaps'), sim.requests.of('list', 'pods')]).toEqual([
      1, 2, 0,
    ]);
    expect(sim.requests.matching(({ verb }) => verb === 'create').map(({ namespace }) => namespace)).toEqual(['default']);
  });

  it('loads many objects at once and pages through them at one version', async () => {
    sim.load(
      Array.from({ length: 2_500 }, (_, index) => ({
        ...configMap(`cm-${index}`),
        metadata: { name: `cm-${index}`, namespace: 'default' },
      })),
    );
    const first = await call(sim, 'GET', `${CONFIG_MAPS}?limit=1000`);
    await call(sim, 'DELETE', `${CONFIG_MAPS}/cm-999`);

    const names = new Set(first.body.items?.map(({ metadata }) => metadata.name));
    let token = first.body.metadata.continue;
    while (token !== undefined) {
      const { body } = await call(sim, 'GET', `${CONFIG_MAPS}?limit=1000&continue=${token}`);
      for (const { metadata } of body.items ?? []) names.add(metadata.name);
      expect(body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
      token = body.metadata.continue;
    }

    expect(names.size).toBe(2_500);
    expect(names).toContain('cm-999');
  });

  it('refuses a continue token after a compaction and offers one that goes on without the promise', async () => {
    for (const name of ['a', 'b', 'c']) await call(sim, 'POST', CONFIG_MAPS, configMap(name));
    const first = await call(sim, 'GET', `${CONFIG_MAPS}?limit=1`);
    await call(sim, 'DELETE', `${CONFIG_MAPS}/b`);
    sim.compact();

    const refused = await call(sim, 'GET', `${CONFIG_MAPS}?limit=1&continue=${first.body.metadata.continue ?? ''}`);
    const goesOn = await call(sim, 'GET', `${CONFIG_MAPS}?limit=5&continue=${refused.body.metadata.continue ?? ''}`);

    expect([refused.code, refused.body.reason]).toEqual([410, 'Expired']);
    expect(goesOn.body.items?.map(({ metadata }) => metadata.name)).toEqual(['c']);
  });

  it('ends a watch from a compacted version with 410 inside the stream', async () => {
    const { body } = await call(sim, 'POST', CONFIG_MAPS, configMap('a'));
    await call(sim, 'POST', CONFIG_MAPS, configMap('b'));
    sim.compact();
    const watch = new Watch(sim, `resourceVersion=${body.metadata.resourceVersion ?? ''}`);

    const [event, end] = [await watch.next(), await watch.next()];

    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    expect(end).toBeUndefined();
  });

  it('sends every change of 5,000 to a watcher in order', async () => {
    const { body } = await call(sim, 'POST', CONFIG_MAPS, configMap('busy'));
    const watch = new Watch(sim, `resourceVersion=${body.metadata.resourceVersion ?? ''}`);
    await eventually('the watch is open', async () => (sim.requests.of('watch', 'configmaps') > 0 ? true : undefined));

    sim.load(
      Array.from({ length: 5_000 }, () => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'busy', namespace: 'default' } })),
    );
    const versions = (await watch.take(5_000)).map(({ object }) => Number(object.metadata.resourceVersion));
    watch.stop();

    expect(versions).toEqual([...versions].sort((left, right) => left - right));
    expect(new Set(versions).size).toBe(5_000);
  });

  it('sends a bookmark shortly before a watch is over, to those who asked for it', async () => {
    const watch = new Watch(sim, 'allowWatchBookmarks=true&timeoutSeconds=3');

    const event = await watch.next();
    const end = await watch.next();

    expect(event).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', metadata: { resourceVersion: String(sim.store.currentVersion) } },
    });
    expect(end).toBeUndefined();
  });

  it('shows a watch by label only what enters, changes within and leaves its selection', async () => {
    const watch = new Watch(sim, 'labelSelector=app%3Dweb&resourceVersion=0');
    await eventually('the watch is open', async () => (sim.requests.of('watch', 'configmaps') > 0 ? true : undefined));
    await call(sim, 'POST', CONFIG_MAPS, configMap('other'));
    await call(sim, 'POST', CONFIG_MAPS, configMap('a'));
    for (const app of ['web', 'web', 'api'])
      await call(sim, 'PATCH', `${CONFIG_MAPS}/a`, { metadata: { labels: { app } }, data: { at: String(Math.random()) } });

    const events = await watch.take(3);
    watch.stop();

    expect(summary(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
  });

  it('serves HTTPS that its own authority vouches for', async () => {
    const secure = await KubeSim.start({ tls: 'self-signed' });
    const dispatcher = new Agent({ connect: { ca: secure.ca } });

    const response = await fetchWith(`${secure.url}/version`, { dispatcher });
    const { minor } = (await response.json()) as { minor: string };
    await dispatcher.close();
    await secure.stop();

    expect(secure.url).toMatch(/^https:/);
    expect(minor).toBe('36');
    expect(secure.kubeconfig()).toContain('certificate-authority-data');
  });

  it('leaves nothing open after stop, watches included', async () => {
    const own = await KubeSim.start();
    const watch = new Watch(own, 'resourceVersion=0');
    const port = Number(new URL(own.url).port);
    await eventually('the watch is open', async () => (own.requests.of('watch', 'configmaps') > 0 ? true : undefined));

    await own.stop();

    await expect(watch.next()).rejects.toThrow();
    await expect(canConnect(port)).resolves.toBe(false);
  });

  it('waits at its stop for no client that never finishes its handshake', async () => {
    const secure = await KubeSim.start({ tls: 'self-signed' });
    const socket = connect(Number(new URL(secure.url).port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('connect', resolve));
    await call(sim, 'GET', '/version');

    await secure.stop();

    await expect(closed).resolves.toBeDefined();
  });

  it('listens again after a port was taken meanwhile and given back', async () => {
    const port = Number(new URL(sim.url).port);
    await sim.faults.refuseConnections();
    const squatter = await KubeSim.start({ port });

    await expect(sim.faults.acceptConnections()).rejects.toThrow(/EADDRINUSE/);
    await squatter.stop();
    await sim.faults.acceptConnections();

    expect((await call(sim, 'GET', CONFIG_MAPS)).code).toBe(200);
  });

  it('writes an IPv6 address into its URL so that clients understand it', async () => {
    const onIpv6 = await KubeSim.start({ host: '::1' }).catch(() => undefined);
    if (!onIpv6) return;

    const { code } = await call(onIpv6, 'GET', CONFIG_MAPS);
    await onIpv6.stop();

    expect(code).toBe(200);
  });

  it('gives nobody the credentials of another for a name it does not know', async () => {
    const guarded = await KubeSim.start({ rules: { users: [{ name: 'admin', token: 'secret', rules: [] }] } });

    expect(() => guarded.kubeconfig('amdin')).toThrow('no user "amdin" is in the rules, only ["admin"]');
    await guarded.stop();
  });

  it('knows users by their token and refuses the rest in the words of RBAC', async () => {
    const rules = {
      users: [{ name: 'reader', token: 'r', rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }] }],
    };
    const guarded = await KubeSim.start({ rules });
    const asReader = { authorization: 'Bearer r' };

    const answers = [
      await call(guarded, 'GET', CONFIG_MAPS, undefined, asReader),
      await call(guarded, 'POST', CONFIG_MAPS, configMap('x'), asReader),
      await call(guarded, 'GET', `${CONFIG_MAPS}/x`),
      await call(guarded, 'GET', CONFIG_MAPS, undefined, { authorization: 'Bearer stolen' }),
    ];
    await guarded.stop();

    expect(answers.map(({ code }) => code)).toEqual([200, 403, 403, 401]);
    expect(answers[1]?.body.message).toBe(
      'configmaps is forbidden: User "reader" cannot create resource "configmaps" in API group "" in the namespace "default"',
    );
    expect(answers[2]?.body.message).toBe(
      'configmaps "x" is forbidden: User "system:anonymous" cannot get resource "configmaps" in API group "" in the namespace "default"',
    );
  });
});

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
