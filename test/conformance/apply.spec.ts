import { ConfigMap, Deployment } from '@elasti/operator-kit';
import type { KubeObject } from '@elasti/operator-kit';
import { patchTypes, succeeded } from './collection';
import { useServer } from './harness';
import { aDeployment } from './objects';

describe('server-side apply: who owns which field', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);

  const ownedBy = ({ metadata }: KubeObject, manager: string) => metadata.managedFields?.find((entry) => entry.manager === manager);

  it('creates what is not there, with 201', async () => {
    const { code, body } = await configMaps.apply('created', 'alice', { data: { a: '1' } });

    expect(code).toBe(201);
    expect(body.data).toEqual({ a: '1' });
  });

  it('notes the manager, the operation and the fields it owns', async () => {
    const body = succeeded(await configMaps.apply('noted', 'alice', { metadata: { labels: { l: 'x' } }, data: { a: '1' } }));

    expect(body.metadata.managedFields).toEqual([
      {
        manager: 'alice',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} }, 'f:metadata': { 'f:labels': { 'f:l': {} } } },
      },
    ]);
  });

  it('changes what is there, with 200', async () => {
    await configMaps.apply('changed', 'alice', { data: { a: '1' } });

    const { code, body } = await configMaps.apply('changed', 'alice', { data: { a: '2' } });

    expect(code).toBe(200);
    expect(body.data).toEqual({ a: '2' });
  });

  it('writes nothing when the same is applied again', async () => {
    const first = succeeded(await configMaps.apply('repeated', 'alice', { data: { a: '1' } }));

    const second = succeeded(await configMaps.apply('repeated', 'alice', { data: { a: '1' } }));

    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it('refuses to change a field of another manager, naming the manager and the field', async () => {
    await configMaps.apply('conflict', 'alice', { data: { a: '1' } });

    const { code, status } = await configMaps.apply('conflict', 'bob', { data: { a: '2' } });

    expect(code).toBe(409);
    expect(status).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "alice": .data.a',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "alice"', field: '.data.a' }] },
    });
    expect((await configMaps.read('conflict')).data).toEqual({ a: '1' });
  });

  it('names every field in conflict', async () => {
    await configMaps.apply('conflicts', 'alice', { data: { a: '1', b: '1' } });

    const { status } = await configMaps.apply('conflicts', 'bob', { data: { a: '2', b: '2' } });

    expect(status.details?.causes?.map(({ field }) => field).sort()).toEqual(['.data.a', '.data.b']);
  });

  it('takes the field over by force', async () => {
    await configMaps.apply('forced', 'alice', { data: { a: '1', b: '1' } });

    const body = succeeded(await configMaps.apply('forced', 'bob', { data: { a: '2' } }, { force: true }));

    expect(body.data).toEqual({ a: '2', b: '1' });
    expect(ownedBy(body, 'alice')?.fieldsV1).toEqual({ 'f:data': { 'f:b': {} } });
    expect(ownedBy(body, 'bob')?.fieldsV1).toEqual({ 'f:data': { 'f:a': {} } });
  });

  it('shares a field between managers that agree', async () => {
    await configMaps.apply('shared', 'alice', { data: { a: '1' } });

    const body = succeeded(await configMaps.apply('shared', 'bob', { data: { a: '1' } }));

    expect(ownedBy(body, 'alice')?.fieldsV1).toEqual({ 'f:data': { 'f:a': {} } });
    expect(ownedBy(body, 'bob')?.fieldsV1).toEqual({ 'f:data': { 'f:a': {} } });
  });

  it('removes a field that its only manager no longer applies', async () => {
    await configMaps.apply('removed', 'alice', { data: { a: '1', b: '2' } });

    const body = succeeded(await configMaps.apply('removed', 'alice', { data: { a: '1' } }));

    expect(body.data).toEqual({ a: '1' });
  });

  it('keeps a field that another manager still applies', async () => {
    await configMaps.apply('kept', 'alice', { data: { a: '1' } });
    await configMaps.apply('kept', 'bob', { data: { a: '1', b: '2' } });

    const body = succeeded(await configMaps.apply('kept', 'alice', {}));

    expect(body.data).toEqual({ a: '1', b: '2' });
    expect(ownedBy(body, 'alice')).toBeUndefined();
  });

  it('leaves the fields of others alone', async () => {
    await configMaps.apply('beside', 'alice', { data: { a: '1' } });

    const body = succeeded(await configMaps.apply('beside', 'bob', { data: { b: '2' } }));

    expect(body.data).toEqual({ a: '1', b: '2' });
  });

  it('notes an update as an owner beside the appliers', async () => {
    await configMaps.apply('updated', 'alice', { data: { a: '1' } });

    const body = succeeded(await configMaps.patch('updated', 'merge', { data: { b: '2' } }, { fieldManager: 'carol' }));

    expect(ownedBy(body, 'carol')).toMatchObject({ operation: 'Update', fieldsV1: { 'f:data': { 'f:b': {} } } });
    expect(ownedBy(body, 'alice')).toMatchObject({ operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {} } } });
  });

  it('gives a field to the one who updated it last', async () => {
    await configMaps.apply('grabbed', 'alice', { data: { a: '1', b: '1' } });

    const body = succeeded(await configMaps.patch('grabbed', 'merge', { data: { a: '2' } }, { fieldManager: 'carol' }));

    expect(ownedBy(body, 'alice')?.fieldsV1).toEqual({ 'f:data': { 'f:b': {} } });
    expect(ownedBy(body, 'carol')?.fieldsV1).toEqual({ 'f:data': { 'f:a': {} } });
  });

  it('meets a conflict with a field that was updated by another', async () => {
    await configMaps.apply('back', 'alice', { data: { a: '1' } });
    await configMaps.patch('back', 'merge', { data: { a: '2' } }, { fieldManager: 'carol' });

    const { code, status } = await configMaps.apply('back', 'alice', { data: { a: '1' } });

    expect(code).toBe(409);
    expect(status.details?.causes).toMatchObject([
      { field: '.data.a', message: expect.stringContaining('conflict with "carol" using v1') },
    ]);
  });

  it('notes a creation as an update by its manager', async () => {
    const body = await configMaps.given({ metadata: { name: 'posted' }, data: { a: '1' } }, { fieldManager: 'dave' });

    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'dave', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } } },
    ]);
  });

  it('refuses an apply without a manager', async () => {
    const { code, status } = await server.wire.call('PATCH', configMaps.path('anonymous'), {
      body: configMaps.draft({ metadata: { name: 'anonymous' } }),
      contentType: patchTypes.apply,
    });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueRequired', field: 'fieldManager' }]);
  });

  it('refuses an apply that brings managedFields', async () => {
    const { code } = await configMaps.apply('brought', 'alice', { metadata: { managedFields: [{ manager: 'x' }] } });

    expect(code).toBe(400);
  });

  it('refuses force with any other kind of patch', async () => {
    await configMaps.given({ metadata: { name: 'forceful' } });

    const { code, status } = await configMaps.patch('forceful', 'merge', {}, { force: true });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueForbidden', field: 'force' }]);
  });

  it('takes YAML as well', async () => {
    const { code, body } = await server.wire.call<KubeObject>('PATCH', configMaps.path('yaml'), {
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: "1"\n',
      contentType: patchTypes.apply,
      query: { fieldManager: 'alice' },
    });

    expect(code).toBe(201);
    expect(body).toMatchObject({ data: { a: '1' } });
  });

  it('does not count defaults as fields of the applier', async () => {
    const { body } = await server.of(Deployment).apply('defaulted', 'alice', aDeployment('defaulted'));

    expect(body.spec?.progressDeadlineSeconds).toBe(600);
    expect(ownedBy(body, 'alice')?.fieldsV1?.['f:spec']).not.toHaveProperty('f:progressDeadlineSeconds');
  });

  it('drops all ownership when managedFields is replaced by one empty entry', async () => {
    await configMaps.apply('cleared', 'alice', { data: { a: '1' } });

    const body = succeeded(await configMaps.patch('cleared', 'merge', { metadata: { managedFields: [{}] } }));

    expect(ownedBy(body, 'alice')).toBeUndefined();
  });
});
