import { ConfigMap, Secret } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';

describe('creating, reading, replacing and deleting', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);

  it('gives a new object a uid, a version and a creation time', async () => {
    const { code, body } = await configMaps.create({ metadata: { name: 'new' }, data: { a: '1' } });

    expect(code).toBe(201);
    expect(body).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { a: '1' },
      metadata: { name: 'new', namespace: server.namespace },
    });
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(body.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  it('reads back exactly what the creation answered', async () => {
    const made = await configMaps.given({ metadata: { name: 'same', labels: { l: 'x' }, annotations: { a: 'y' } }, data: { k: 'v' } });

    const { code, body } = await configMaps.get('same');

    expect(code).toBe(200);
    expect(body).toEqual(made);
  });

  it('refuses a second object of the same name with AlreadyExists', async () => {
    await configMaps.given({ metadata: { name: 'twice' } });

    const { code, status } = await configMaps.create({ metadata: { name: 'twice' } });

    expect(code).toBe(409);
    expect(status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "twice" already exists',
      reason: 'AlreadyExists',
      details: { name: 'twice', kind: 'configmaps' },
      code: 409,
    });
  });

  it('answers NotFound for a name that is not there', async () => {
    const { code, status } = await configMaps.get('nowhere');

    expect(code).toBe(404);
    expect(status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "nowhere" not found',
      reason: 'NotFound',
      details: { name: 'nowhere', kind: 'configmaps' },
      code: 404,
    });
  });

  it('ignores the uid and the times that a client sends along with a new object', async () => {
    const { metadata } = await configMaps.given({
      metadata: { name: 'claims', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', deletionTimestamp: '2001-01-01T00:00:00Z' },
    });

    expect(metadata.uid).not.toBe('mine');
    expect(metadata.creationTimestamp).not.toMatch(/^2001/);
    expect(metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('refuses a new object that brings a resourceVersion', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'versioned', resourceVersion: '1' } });

    expect(code).toBe(500);
    expect(status.message).toBe('resourceVersion should not be set on objects to be created');
  });

  it('refuses a body whose namespace is not the one of the request', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'lost', namespace: 'elsewhere' } });

    expect(code).toBe(400);
    expect(status).toMatchObject({
      reason: 'BadRequest',
      message: expect.stringContaining('the namespace of the provided object does not match'),
    });
  });

  it('refuses a body of another kind', async () => {
    const { code, status } = await configMaps.create({ kind: 'Secret', metadata: { name: 'other' } });

    expect(code).toBe(400);
    expect(status.reason).toBe('BadRequest');
  });

  it('refuses a body that is no JSON', async () => {
    const { code, status } = await server.wire.call('POST', configMaps.path(), { body: '{"metadata":' });

    expect(code).toBe(400);
    expect(status.reason).toBe('BadRequest');
  });

  it('replaces an object and moves its version, not its identity', async () => {
    const made = await configMaps.given({ metadata: { name: 'replaced' }, data: { a: '1', b: '2' } });

    const { code, body } = await configMaps.replace('replaced', { ...made, data: { a: '3' } });

    expect(code).toBe(200);
    expect(body.data).toEqual({ a: '3' });
    expect(body.metadata.uid).toBe(made.metadata.uid);
    expect(body.metadata.creationTimestamp).toBe(made.metadata.creationTimestamp);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
  });

  it('keeps the version when a replacement changes nothing', async () => {
    const made = await configMaps.given({ metadata: { name: 'unchanged' }, data: { a: '1' } });

    const { body } = await configMaps.replace('unchanged', { ...made });

    expect(body.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  it('refuses a replacement that was read before another write', async () => {
    const stale = await configMaps.given({ metadata: { name: 'raced' }, data: { a: '1' } });
    succeeded(await configMaps.replace('raced', { ...stale, data: { a: '2' } }));

    const { code, status } = await configMaps.replace('raced', { ...stale, data: { a: '3' } });

    expect(code).toBe(409);
    expect(status).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "raced": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'raced', kind: 'configmaps' },
    });
    expect((await configMaps.read('raced')).data).toEqual({ a: '2' });
  });

  it('replaces whatever is there when no version is given', async () => {
    await configMaps.given({ metadata: { name: 'blind' }, data: { a: '1' } });

    const { code, body } = await configMaps.replace('blind', { metadata: { name: 'blind' }, data: { a: '2' } });

    expect(code).toBe(200);
    expect(body.data).toEqual({ a: '2' });
  });

  it('refuses a replacement meant for another uid', async () => {
    await configMaps.given({ metadata: { name: 'reborn' } });

    const { code, status } = await configMaps.replace('reborn', {
      metadata: { name: 'reborn', uid: '00000000-0000-0000-0000-000000000000' },
    });

    expect(code).toBe(409);
    expect(status).toMatchObject({ reason: 'Conflict', message: expect.stringContaining('Precondition failed: UID in precondition') });
  });

  it('refuses a replacement whose name is not the one of the request', async () => {
    await configMaps.given({ metadata: { name: 'named' } });

    const { code, status } = await configMaps.replace('named', { metadata: { name: 'renamed' } });

    expect(code).toBe(400);
    expect(status.message).toContain('the name of the object (renamed) does not match the name on the URL (named)');
  });

  it('does not create by replacing', async () => {
    const { code, status } = await configMaps.replace('absent', { metadata: { name: 'absent' } });

    expect(code).toBe(404);
    expect(status.reason).toBe('NotFound');
  });

  it('answers a deletion with the name and uid of what is gone', async () => {
    const made = await configMaps.given({ metadata: { name: 'deleted' } });

    const { code, status } = await configMaps.delete('deleted');

    expect(code).toBe(200);
    expect(status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'deleted', kind: 'configmaps', uid: made.metadata.uid },
    });
    expect((await configMaps.get('deleted')).code).toBe(404);
  });

  it('deletes the objects of a collection that a selector names, and no others', async () => {
    const secrets = server.of(Secret);
    await secrets.given({ metadata: { name: 'a', labels: { pick: 'yes' } } });
    await secrets.given({ metadata: { name: 'b', labels: { pick: 'yes' } } });
    await secrets.given({ metadata: { name: 'c' } });

    const { code } = await secrets.deleteAll({ labelSelector: 'pick=yes' });

    expect(code).toBe(200);
    expect(await secrets.names()).toEqual(['c']);
  });

  it('writes secret data that was given as text in base64', async () => {
    const { body } = await server.of(Secret).create({ metadata: { name: 'text' }, data: { old: 'b2xk' }, stringData: { word: 'sesame' } });

    expect(body).toMatchObject({ type: 'Opaque', data: { old: 'b2xk', word: Buffer.from('sesame').toString('base64') } });
    expect(body).not.toHaveProperty('stringData');
  });
});
