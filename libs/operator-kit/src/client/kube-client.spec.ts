import { ScriptedServer } from '../testing';
import { ConfigMap, Deployment, Node } from './builtins';
import { KubeClient } from './kube-client';
import { InvalidRequestError } from './request.errors';

const ref = { namespace: 'shop', name: 'web' };
const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { a: '1' } };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...ref, resourceVersion: '5' } };
const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { ...ref, resourceVersion: '5' }, spec: { replicas: 3 } };
const base = '/apis/apps/v1/namespaces/shop/deployments';

function setup() {
  const server = new ScriptedServer();
  const client = KubeClient.forServer({
    server: 'https://api.example/clusters/one/',
    poolFactory: server.poolFactory,
    userAgent: 'shop/1',
  });
  server.script({ body: configMap });
  const sent = () => {
    const { method = '', path = '', headers = {}, body } = server.requests[0] ?? {};
    return { line: `${method} ${path.replace('/clusters/one', '')}`, type: headers['content-type'], body };
  };
  return { server, client, sent };
}

describe('KubeClient writes', () => {
  it('creates in the collection, with what the options ask for', async () => {
    const { client, sent } = setup();

    await client.create(ConfigMap, configMap, { dryRun: true, fieldManager: 'kit', fieldValidation: 'Strict' });

    expect(sent()).toEqual({
      line: 'POST /api/v1/namespaces/shop/configmaps?dryRun=All&fieldManager=kit&fieldValidation=Strict',
      type: 'application/json',
      body: configMap,
    });
  });

  it('replaces the object and its status under its name', async () => {
    const { server, client } = setup();
    server.script({ body: {} });

    await client.replace(Deployment, deployment);
    await client.replaceStatus(Deployment, deployment);

    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PUT /clusters/one${base}/web`,
      `PUT /clusters/one${base}/web/status`,
    ]);
  });

  it('applies as its field manager, by force only when asked', async () => {
    const { client, sent } = setup();

    await client.apply(Deployment, deployment, { fieldManager: 'kit', force: true, subresource: 'status' });

    expect(sent()).toEqual({
      line: `PATCH ${base}/web/status?fieldManager=kit&force=true`,
      type: 'application/apply-patch+yaml',
      body: deployment,
    });
  });

  it.each([
    ['json', { type: 'json', operations: [{ op: 'remove', path: '/data/a' }] }, [{ op: 'remove', path: '/data/a' }]],
    ['merge', { type: 'merge', body: { data: null } }, { data: null }],
    ['strategic-merge', { type: 'strategic', body: { data: null } }, { data: null }],
  ] as const)('sends a %s patch as such', async (name, patch, body) => {
    const { client, sent } = setup();

    await client.patch(ConfigMap, ref, structuredClone(patch) as never);

    expect(sent()).toEqual({ line: 'PATCH /api/v1/namespaces/shop/configmaps/web', type: `application/${name}-patch+json`, body });
  });

  it('deletes with preconditions and propagation, and answers the object while finalizers hold it', async () => {
    const { client, sent } = setup();

    const held = await client.delete(ConfigMap, ref, { preconditions: { uid: 'u1' }, propagationPolicy: 'Foreground', dryRun: true });

    expect(held).toEqual(configMap);
    expect(sent().body).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u1' },
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
  });

  it('answers undefined for an object that is gone at once', async () => {
    const server = new ScriptedServer().script({ body: { kind: 'Status', status: 'Success' } });
    const client = KubeClient.forServer({ server: 'https://api.example', poolFactory: server.poolFactory });

    await expect(client.delete(ConfigMap, ref)).resolves.toBeUndefined();

    expect(server.requests[0]?.body).toBeUndefined();
  });

  it('deletes a whole selection', async () => {
    const { client, sent } = setup();

    await client.deleteAll(ConfigMap, { namespace: 'shop', labelSelector: 'app=web', gracePeriodSeconds: 0 });

    expect(sent()).toMatchObject({
      line: 'DELETE /api/v1/namespaces/shop/configmaps?labelSelector=app%3Dweb',
      body: { gracePeriodSeconds: 0 },
    });
  });

  it('reads and writes the scale of any kind', async () => {
    const { server, client } = setup();
    server.script({ body: scale });

    await client.getScale(Deployment, ref);
    await client.replaceScale(Deployment, ref, scale);

    expect(server.requests.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', `/clusters/one${base}/web/scale`, undefined],
      ['PUT', `/clusters/one${base}/web/scale`, scale],
    ]);
  });

  it('reaches what has no method of its own', async () => {
    const { client, sent } = setup();

    await client.raw('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { kind: 'TokenReview' }, { query: { dryRun: 'All' } });

    expect(sent()).toEqual({
      line: 'POST /apis/authentication.k8s.io/v1/tokenreviews?dryRun=All',
      type: 'application/json',
      body: { kind: 'TokenReview' },
    });
  });
});

describe('KubeClient reads', () => {
  it('fills in the type of list items and passes the version and the page on', async () => {
    const server = new ScriptedServer().script({ body: { metadata: { resourceVersion: '9' }, items: [{ metadata: ref }] } });
    const client = KubeClient.forServer({ server: 'https://api.example', poolFactory: server.poolFactory });

    const list = await client.list(Deployment, { limit: 10, continue: 'c', resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' });

    expect(list).toEqual({ metadata: { resourceVersion: '9' }, items: [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: ref }] });
    expect(server.requests[0]?.path).toBe(
      '/apis/apps/v1/deployments?limit=10&continue=c&resourceVersion=0&resourceVersionMatch=NotOlderThan',
    );
  });

  it('finds nothing without an error, but only where there is nothing', async () => {
    const server = new ScriptedServer().script({ status: 404, body: '' }, { status: 403, body: '' });
    const client = KubeClient.forServer({ server: 'https://api.example', poolFactory: server.poolFactory });

    await expect(client.find(ConfigMap, ref)).resolves.toBeUndefined();
    await expect(client.find(ConfigMap, ref)).rejects.toThrow('(403)');
  });

  it('says who it is', async () => {
    const { server, client } = setup();

    await client.get(ConfigMap, ref);

    expect(server.requests[0]?.headers['user-agent']).toBe('shop/1');
  });
});

describe('KubeClient refuses, before anything is sent,', () => {
  it.each<[string, (client: KubeClient) => Promise<unknown>]>([
    ['reading without a namespace', (client) => client.get(ConfigMap, { name: 'web' })],
    ['reading a name with a slash', (client) => client.get(Node, { name: 'a/b' })],
    ['creating without a namespace', (client) => client.create(ConfigMap, { ...configMap, metadata: { name: 'web' } })],
    ['replacing without a name', (client) => client.replace(ConfigMap, { ...configMap, metadata: { namespace: 'shop' } })],
    [
      'applying without a name',
      (client) => client.apply(ConfigMap, { ...configMap, metadata: { namespace: 'shop' } }, { fieldManager: 'kit' }),
    ],
    ['deleting an empty name', (client) => client.delete(ConfigMap, { namespace: 'shop', name: '' })],
    ['listing in an empty namespace', (client) => client.list(ConfigMap, { namespace: '' })],
  ])('%s', async (_what, act) => {
    const { server, client } = setup();

    await expect(act(client)).rejects.toThrow(InvalidRequestError);

    expect(server.requests).toHaveLength(0);
  });

  it.each(['example.com', 'ftp://example.com', ''])('%j as a server', (server) => {
    expect(() => KubeClient.forServer({ server })).toThrow(/^server: /);
  });

  it.each([
    ['proxyUrl', { proxyUrl: 'proxy.example:3128' }],
    ['connections', { connections: 0 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
  ])('a %s that cannot work', (field, options) => {
    expect(() => KubeClient.forServer({ server: 'https://api.example', ...options })).toThrow(new RegExp(`^${field}: `));
  });
});
