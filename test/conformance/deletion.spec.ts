import { ConfigMap, Deployment } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aDeployment } from './objects';

const hold = 'conformance.example.com/hold';

describe('finalizers, deletion and its preconditions', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);

  const givenDeleting = async (name: string) => {
    await configMaps.given({ metadata: { name, finalizers: [hold] }, data: { a: '1' } });
    return succeeded(await configMaps.delete(name));
  };

  it('keeps an object with a finalizer, and dates its deletion', async () => {
    await configMaps.given({ metadata: { name: 'held', finalizers: [hold] } });

    const { code, body } = await configMaps.delete('held');

    expect(code).toBe(200);
    expect(body).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'held', finalizers: [hold], deletionGracePeriodSeconds: 0 } });
    expect(body.metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect((await configMaps.read('held')).metadata.deletionTimestamp).toBe(body.metadata.deletionTimestamp);
  });

  it('keeps the first date when it is deleted again', async () => {
    const first = await givenDeleting('again');

    const { code, body } = await configMaps.delete('again');

    expect(code).toBe(200);
    expect(body.metadata.deletionTimestamp).toBe(first.metadata.deletionTimestamp);
  });

  it('lets an object go when its last finalizer is taken off', async () => {
    const held = await givenDeleting('released');
    const watch = await configMaps.watch({ resourceVersion: held.metadata.resourceVersion, fieldSelector: 'metadata.name=released' });

    const { code } = await configMaps.patch('released', 'merge', { metadata: { finalizers: null } });

    expect(code).toBe(200);
    await watch.seen('DELETED', 'released');
    expect((await configMaps.get('released')).code).toBe(404);
  });

  it('keeps an object until the last of several finalizers is gone', async () => {
    const other = 'conformance.example.com/other';
    await configMaps.given({ metadata: { name: 'several', finalizers: [hold, other] } });
    await configMaps.delete('several');

    const half = await configMaps.patch('several', 'merge', { metadata: { finalizers: [other] } });
    const whole = await configMaps.patch('several', 'merge', { metadata: { finalizers: [] } });

    expect(half.body.metadata.finalizers).toEqual([other]);
    expect(whole.code).toBe(200);
    expect((await configMaps.get('several')).code).toBe(404);
  });

  it('lets a finalizer be taken off long before any deletion', async () => {
    await configMaps.given({ metadata: { name: 'early', finalizers: [hold] } });

    const { body } = await configMaps.patch('early', 'merge', { metadata: { finalizers: null } });

    expect(body.metadata).not.toHaveProperty('finalizers');
    expect((await configMaps.get('early')).code).toBe(200);
  });

  it('refuses a new finalizer on an object that is being deleted', async () => {
    await givenDeleting('closing');

    const { code, status } = await configMaps.patch('closing', 'merge', {
      metadata: { finalizers: [hold, 'conformance.example.com/late'] },
    });

    expect(code).toBe(422);
    expect(status.details?.causes?.[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'metadata.finalizers' });
  });

  it('refuses a finalizer without a domain', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'bad', finalizers: ['mine'] } });

    expect(code).toBe(422);
    expect(status.details?.causes?.[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'metadata.finalizers[0]' });
  });

  it('lets an object that is being deleted be changed', async () => {
    await givenDeleting('busy');

    const { code, body } = await configMaps.patch('busy', 'merge', { data: { a: '2' } });

    expect(code).toBe(200);
    expect(body.data).toEqual({ a: '2' });
  });

  it('ignores a replacement that would take the deletion back', async () => {
    const deleting = await givenDeleting('undo');

    const { body } = await configMaps.replace('undo', { ...deleting, metadata: { ...deleting.metadata, deletionTimestamp: undefined } });

    expect(body.metadata.deletionTimestamp).toBe(deleting.metadata.deletionTimestamp);
  });

  it('keeps the name taken while a finalizer holds the old object', async () => {
    await givenDeleting('taken');

    const { code, status } = await configMaps.create({ metadata: { name: 'taken' } });

    expect(code).toBe(409);
    expect(status).toMatchObject({ reason: 'AlreadyExists', message: expect.stringContaining('object is being deleted') });
  });

  it('gives an object that is made again another uid', async () => {
    const first = await configMaps.given({ metadata: { name: 'phoenix' } });
    await configMaps.delete('phoenix');

    const second = await configMaps.given({ metadata: { name: 'phoenix' } });

    expect(second.metadata.uid).not.toBe(first.metadata.uid);
  });

  it('counts the request to delete as a generation', async () => {
    const deployments = server.of(Deployment);
    const draft = aDeployment('generation');
    await deployments.given({ ...draft, metadata: { ...draft.metadata, finalizers: [hold] } });

    const { body } = await deployments.delete('generation', { propagationPolicy: 'Background' });
    await deployments.patch('generation', 'merge', { metadata: { finalizers: null } });

    expect(body.metadata.generation).toBe(2);
  });

  it('refuses to delete what is not there', async () => {
    const { code, status } = await configMaps.delete('nothing');

    expect(code).toBe(404);
    expect(status.reason).toBe('NotFound');
  });

  it('deletes only the uid that was meant', async () => {
    const made = await configMaps.given({ metadata: { name: 'meant' } });

    const wrong = await configMaps.delete('meant', { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } });
    const right = await configMaps.delete('meant', { preconditions: { uid: made.metadata.uid } });

    expect(wrong).toMatchObject({ code: 409, status: { reason: 'Conflict', details: { name: 'meant', kind: 'ConfigMap' } } });
    expect(right.code).toBe(200);
  });

  it('deletes only the version that was read', async () => {
    const made = await configMaps.given({ metadata: { name: 'read' } });
    const changed = succeeded(await configMaps.patch('read', 'merge', { data: { a: '1' } }));

    const wrong = await configMaps.delete('read', { preconditions: { resourceVersion: made.metadata.resourceVersion } });
    const right = await configMaps.delete('read', { preconditions: { resourceVersion: changed.metadata.resourceVersion } });

    expect(wrong).toMatchObject({ code: 409, status: { reason: 'Conflict' } });
    expect(right.code).toBe(200);
  });
});
