import { ConfigMap, Namespace } from '@elasti/operator-kit';
import { eventually } from './eventually';
import { useServer } from './harness';

const hold = 'conformance.example.com/hold';

describe('namespaces', () => {
  const server = useServer();
  const namespaces = server.of(Namespace);
  const held = `${server.namespace}-held`;
  const plain = `${server.namespace}-plain`;
  const inHeld = server.of(ConfigMap).in(held);
  const inPlain = server.of(ConfigMap).in(plain);

  // A real cluster takes seconds to empty a namespace, so both go at the same time, once.
  beforeAll(async () => {
    await namespaces.given({ metadata: { name: held, labels: { suite: 'conformance' } } });
    await namespaces.given({ metadata: { name: plain } });
    await inHeld.given({ metadata: { name: 'held', finalizers: [hold] } });
    await inPlain.given({ metadata: { name: 'content' } });
    await namespaces.delete(held);
    await namespaces.delete(plain);
  });

  it('makes a namespace active at once, with a label of its name', async () => {
    const { body } = await namespaces.create({ metadata: { name: `${server.namespace}-new` } });
    await namespaces.delete(`${server.namespace}-new`);

    expect(body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': `${server.namespace}-new` } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('has the namespaces that every cluster has', async () => {
    expect(await namespaces.names()).toEqual(expect.arrayContaining(['default', 'kube-node-lease', 'kube-public', 'kube-system']));
  });

  it('refuses to create in a namespace that is not there', async () => {
    const { code, status } = await server
      .of(ConfigMap)
      .in('not-there')
      .create({ metadata: { name: 'x' } });

    expect(code).toBe(404);
    expect(status).toMatchObject({
      reason: 'NotFound',
      message: 'namespaces "not-there" not found',
      details: { name: 'not-there', kind: 'namespaces' },
    });
  });

  it('lists nothing in a namespace that is not there', async () => {
    expect(await server.of(ConfigMap).in('not-there').names()).toEqual([]);
  });

  it('refuses to delete the default namespace', async () => {
    const { code, status } = await namespaces.delete('default');

    expect(code).toBe(403);
    expect(status.reason).toBe('Forbidden');
  });

  it('does not delete namespaces as a collection', async () => {
    const { code, status } = await namespaces.deleteAll({ labelSelector: 'suite=nothing' });

    expect(code).toBe(405);
    expect(status.reason).toBe('MethodNotAllowed');
  });

  it('turns a deleted namespace to Terminating', async () => {
    const { metadata, status } = await namespaces.read(held);

    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status?.phase).toBe('Terminating');
  });

  it('refuses to create in a namespace that is going', async () => {
    const { code, status } = await inHeld.create({ metadata: { name: 'late' } });

    expect(code).toBe(403);
    expect(status).toMatchObject({
      reason: 'Forbidden',
      details: { name: 'late', kind: 'configmaps', causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
    });
  });

  it('lets objects in a namespace that is going be changed', async () => {
    const { code } = await inHeld.patch('held', 'merge', { data: { a: '1' } });

    expect(code).toBe(200);
  });

  it('deletes what is in a namespace and then the namespace', async () => {
    await eventually(async () => expect((await namespaces.get(plain)).code).toBe(404));

    expect((await inPlain.get('content')).code).toBe(404);
  });

  it('keeps a namespace as long as a finalizer holds something in it', async () => {
    await eventually(async () => expect((await inHeld.read('held')).metadata.deletionTimestamp).toBeDefined());

    await eventually(async () => {
      const { status } = await namespaces.read(held);
      expect(status?.phase).toBe('Terminating');
      expect(status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'NamespaceFinalizersRemaining', status: 'True', reason: 'SomeFinalizersRemain' }),
      );
    });
  });

  it('lets a namespace go when the last thing in it is released', async () => {
    await inHeld.patch('held', 'merge', { metadata: { finalizers: null } });

    await eventually(async () => expect((await namespaces.get(held)).code).toBe(404));
  });
});
