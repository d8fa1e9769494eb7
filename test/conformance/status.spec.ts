import { Deployment, Pod } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, aDeployment, aPod, kindOf } from './objects';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('the status subresource', () => {
  const server = useServer();
  const deployments = server.docs(Deployment);
  const pods = server.docs(Pod);
  const widgets = server.docs(kindOf(server.group, 'Widget'));
  const plains = server.docs(kindOf(server.group, 'Plain'));

  beforeAll(async () => {
    await server.installCrd(aCrd(server.group, 'Widget', { spec: anything, status: anything }, { subresources: { status: {} } }));
    await server.installCrd(aCrd(server.group, 'Plain', { spec: anything, status: anything }));
  });

  it('leaves the status out of a builtin object that is made', async () => {
    const { body } = await deployments.create({ ...aDeployment('made'), status: { replicas: 7 } });

    expect(body.status).toEqual({});
  });

  it('leaves the status out of a custom object that is made', async () => {
    const { body } = await widgets.create({ metadata: { name: 'made' }, spec: { size: 1 }, status: { phase: 'Ready' } });

    expect(body).not.toHaveProperty('status');
  });

  it('ignores the status of a builtin object in a write to the object', async () => {
    await pods.given(aPod('main'));

    const { body } = await pods.patch('main', 'merge', { status: { message: 'hello' } });

    expect(body.status).not.toHaveProperty('message');
  });

  it('ignores the status of a custom object in a write to the object', async () => {
    await widgets.given({ metadata: { name: 'main' }, spec: { size: 1 } });
    await widgets.patch('main', 'merge', { status: { phase: 'Ready' } }, {}, 'status');

    const { body } = await widgets.patch('main', 'merge', { spec: { size: 2 }, status: { phase: 'Broken' } });

    expect(body).toMatchObject({ spec: { size: 2 }, status: { phase: 'Ready' } });
  });

  it('ignores the spec of a builtin object in a write to the status', async () => {
    await pods.given(aPod('status', {}, { a: 'b' }));

    const { body } = await pods.patch('status', 'merge', { spec: { priority: 9 }, status: { message: 'hello' } }, {}, 'status');

    expect(body).toMatchObject({ spec: { priority: 0 }, status: { message: 'hello', phase: 'Pending' } });
  });

  it('ignores the spec of a custom object in a write to the status', async () => {
    const made = await widgets.given({ metadata: { name: 'status' }, spec: { size: 1 } });

    const { code, body } = await widgets.replace('status', { ...made, spec: { size: 5 }, status: { phase: 'Ready' } }, {}, 'status');

    expect(code).toBe(200);
    expect(body).toMatchObject({ spec: { size: 1 }, status: { phase: 'Ready' } });
  });

  it('ignores labels and annotations of a custom object in a write to the status', async () => {
    await widgets.given({ metadata: { name: 'labels', labels: { a: 'b' } } });

    const { body } = await widgets.patch('labels', 'merge', { metadata: { labels: { a: 'c' } }, status: { n: 1 } }, {}, 'status');

    expect(body.metadata.labels).toEqual({ a: 'b' });
  });

  it('does not count a change of the status as a generation', async () => {
    await widgets.given({ metadata: { name: 'counted' }, spec: { size: 1 } });

    const status = succeeded(await widgets.patch('counted', 'merge', { status: { n: 1 } }, {}, 'status'));
    const spec = succeeded(await widgets.patch('counted', 'merge', { spec: { size: 2 } }));

    expect(status.metadata.generation).toBe(1);
    expect(spec.metadata.generation).toBe(2);
  });

  it('moves the version with a change of the status', async () => {
    const made = await widgets.given({ metadata: { name: 'version' } });

    const { body } = await widgets.patch('version', 'merge', { status: { n: 1 } }, {}, 'status');

    expect(body.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
  });

  it('refuses a status that was read before another write', async () => {
    const stale = await widgets.given({ metadata: { name: 'stale' } });
    succeeded(await widgets.patch('stale', 'merge', { metadata: { labels: { a: 'b' } } }));

    const { code, status } = await widgets.replace('stale', { ...stale, status: { n: 1 } }, {}, 'status');

    expect(code).toBe(409);
    expect(status).toMatchObject({ reason: 'Conflict', details: { name: 'stale', group: server.group, kind: 'widgets' } });
  });

  it('reads the whole object through the status', async () => {
    const made = await widgets.given({ metadata: { name: 'whole' }, spec: { size: 1 } });

    const { code, body } = await widgets.get('whole', 'status');

    expect(code).toBe(200);
    expect(body).toEqual(made);
  });

  it('has no status to write on a custom object that did not declare one', async () => {
    await plains.given({ metadata: { name: 'plain' } });

    const { code } = await plains.patch('plain', 'merge', { status: { n: 1 } }, {}, 'status');

    expect(code).toBe(404);
  });

  it('treats an undeclared status as any other field, generation included', async () => {
    const made = await plains.given({ metadata: { name: 'field' }, status: { n: 1 } });

    const changed = succeeded(await plains.patch('field', 'merge', { status: { n: 2 } }));

    expect(made).toMatchObject({ status: { n: 1 }, metadata: { generation: 1 } });
    expect(changed).toMatchObject({ status: { n: 2 }, metadata: { generation: 2 } });
  });

  it('does not count a change of metadata of a custom object as a generation', async () => {
    await plains.given({ metadata: { name: 'meta' }, spec: { a: 1 } });

    const { body } = await plains.patch('meta', 'merge', { metadata: { labels: { a: 'b' } } });

    expect(body.metadata.generation).toBe(1);
  });

  it('has no status to read on a kind without one', async () => {
    const { code } = await server.wire.call('GET', `/api/v1/namespaces/${server.namespace}/configmaps/x/status`);

    expect(code).toBe(404);
  });
});
