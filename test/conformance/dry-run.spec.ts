import { ConfigMap } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';

describe('dry runs', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);
  const dry = { dryRun: 'All' };

  it('answers a creation as if it had happened, and creates nothing', async () => {
    const { code, body } = await configMaps.create({ metadata: { name: 'new' }, data: { a: '1' } }, dry);

    expect(code).toBe(201);
    expect(body.metadata.uid).toEqual(expect.any(String));
    expect(body.metadata).not.toHaveProperty('resourceVersion');
    expect((await configMaps.get('new')).code).toBe(404);
  });

  it('makes up a name in a dry run too', async () => {
    const { body } = await configMaps.create({ metadata: { generateName: 'made-' } }, dry);

    expect(body.metadata.name).toMatch(/^made-.{5}$/);
  });

  it('answers a replacement as if it had happened, and replaces nothing', async () => {
    const made = await configMaps.given({ metadata: { name: 'replaced' }, data: { a: '1' } });

    const { code, body } = await configMaps.replace('replaced', { ...made, data: { a: '2' } }, dry);

    expect(code).toBe(200);
    expect(body.data).toEqual({ a: '2' });
    expect(await configMaps.read('replaced')).toEqual(made);
  });

  it('answers a patch as if it had happened, and patches nothing', async () => {
    const made = await configMaps.given({ metadata: { name: 'patched' }, data: { a: '1' } });

    const { body } = await configMaps.patch('patched', 'merge', { data: { b: '2' } }, dry);

    expect(body.data).toEqual({ a: '1', b: '2' });
    expect(await configMaps.read('patched')).toEqual(made);
  });

  it('answers an apply as if it had happened, and applies nothing', async () => {
    const { code, body } = await configMaps.apply('applied', 'alice', { data: { a: '1' } }, dry);

    expect(code).toBe(201);
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'alice', operation: 'Apply' }]);
    expect((await configMaps.get('applied')).code).toBe(404);
  });

  it('answers a deletion as if it had happened, and deletes nothing', async () => {
    const made = await configMaps.given({ metadata: { name: 'deleted' } });

    const { code } = await configMaps.delete('deleted', undefined, dry);

    expect(code).toBe(200);
    expect(await configMaps.read('deleted')).toEqual(made);
  });

  it('takes the dry run of a deletion from its body', async () => {
    await configMaps.given({ metadata: { name: 'body' } });

    const { code } = await configMaps.delete('body', { dryRun: ['All'] });

    expect(code).toBe(200);
    expect((await configMaps.get('body')).code).toBe(200);
  });

  it('deletes no collection in a dry run', async () => {
    await configMaps.given({ metadata: { name: 'bulk', labels: { case: 'bulk' } } });

    const { code } = await configMaps.deleteAll({ labelSelector: 'case=bulk', ...dry });

    expect(code).toBe(200);
    expect(await configMaps.names({ labelSelector: 'case=bulk' })).toEqual(['bulk']);
  });

  it('refuses in a dry run what it would refuse in earnest', async () => {
    await configMaps.given({ metadata: { name: 'taken' } });

    const answers = await Promise.all([
      configMaps.create({ metadata: { name: 'taken' } }, dry),
      configMaps.create({ metadata: { name: 'Bad Name' } }, dry),
      configMaps.replace('taken', { metadata: { name: 'taken', resourceVersion: '1' } }, dry),
      configMaps.delete('absent', undefined, dry),
    ]);

    expect(answers.map(({ code }) => code)).toEqual([409, 422, 409, 404]);
  });

  it('says nothing to watchers', async () => {
    const { metadata } = succeeded(await configMaps.list());
    const watch = await configMaps.watch({ resourceVersion: metadata.resourceVersion, labelSelector: 'case=watched' });

    await configMaps.create({ metadata: { name: 'silent', labels: { case: 'watched' } } }, dry);
    await configMaps.given({ metadata: { name: 'heard', labels: { case: 'watched' } } });

    await watch.seen('ADDED', 'heard');
    expect(watch.summary).toEqual(['ADDED heard']);
  });

  it('fills in the defaults of a custom resource in a dry run', async () => {
    const spec = { type: 'object', properties: { mode: { type: 'string', default: 'auto' } } };
    await server.installCrd(aCrd(server.group, 'Dry', { spec }));

    const { body } = await server.docs({ ...kindOf(server.group, 'Dry') }).create({ metadata: { name: 'x' }, spec: {} }, dry);

    expect(body.spec).toEqual({ mode: 'auto' });
  });

  it('refuses a dry run of another extent', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'half' } }, { dryRun: 'Half' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'dryRun', reason: 'FieldValueNotSupported' }]);
  });
});
