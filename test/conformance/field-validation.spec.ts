import { ConfigMap, Deployment } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, aDeployment, kindOf } from './objects';

describe('fields that nobody declared', () => {
  const server = useServer();
  const configMaps = server.docs(ConfigMap);
  const deployments = server.docs(Deployment);
  const gears = server.docs(kindOf(server.group, 'Gear'));

  beforeAll(async () => {
    const spec = {
      type: 'object',
      properties: {
        teeth: { type: 'integer' },
        list: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } },
      },
    };
    await server.installCrd(aCrd(server.group, 'Gear', { spec }));
  });

  it('are refused under Strict, by their path', async () => {
    const { code, status } = await deployments.create(aDeployment('strict', { replica: 1 }), { fieldValidation: 'Strict' });

    expect(code).toBe(400);
    expect(status).toMatchObject({
      reason: 'BadRequest',
      message: expect.stringContaining('strict decoding error: unknown field "spec.replica"'),
    });
  });

  it('are warned of and dropped under Warn', async () => {
    const { code, body, warnings } = await configMaps.create({ metadata: { name: 'warn' }, extra: 1 }, { fieldValidation: 'Warn' });

    expect(code).toBe(201);
    expect(warnings).toEqual(['unknown field "extra"']);
    expect(body).not.toHaveProperty('extra');
  });

  it('are warned of when nothing is asked for', async () => {
    const { warnings } = await configMaps.create({ metadata: { name: 'default' }, extra: 1 });

    expect(warnings).toEqual(['unknown field "extra"']);
  });

  it('are dropped in silence under Ignore', async () => {
    const { body, warnings } = await configMaps.create({ metadata: { name: 'ignore' }, extra: 1 }, { fieldValidation: 'Ignore' });

    expect(warnings).toEqual([]);
    expect(body).not.toHaveProperty('extra');
  });

  it('are refused in the metadata too', async () => {
    const metadata = { name: 'meta', label: {} } as object;

    const { code, status } = await configMaps.create({ metadata }, { fieldValidation: 'Strict' });

    expect(code).toBe(400);
    expect(status.message).toContain('unknown field "metadata.label"');
  });

  it('are found in replacements', async () => {
    await configMaps.given({ metadata: { name: 'replaced' } });

    const { code } = await configMaps.replace('replaced', { metadata: { name: 'replaced' }, extra: 1 }, { fieldValidation: 'Strict' });

    expect(code).toBe(400);
  });

  it('are found in patches', async () => {
    await configMaps.given({ metadata: { name: 'patched' } });

    const { code, status } = await configMaps.patch('patched', 'merge', { extra: 1 }, { fieldValidation: 'Strict' });

    expect(code).toBe(422);
    expect(status.message).toContain('unknown field "extra"');
  });

  it('are refused in an apply of a builtin kind, whatever is asked for', async () => {
    const { code, status } = await configMaps.apply('applied', 'alice', { extra: 1 }, { fieldValidation: 'Ignore' });

    expect(code).toBe(500);
    expect(status.message).toContain('.extra: field not declared in schema');
  });

  it('are found when they are written twice', async () => {
    const body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';

    const { code, status } = await server.wire.call('POST', configMaps.path(), { body, query: { fieldValidation: 'Strict' } });

    expect(code).toBe(400);
    expect(status.message).toContain('duplicate field "data.a"');
  });

  it('are refused in a custom resource under Strict', async () => {
    const { code, status } = await gears.create(
      { metadata: { name: 'strict' }, spec: { teeth: 1, tooth: 2 } },
      { fieldValidation: 'Strict' },
    );

    expect(code).toBe(400);
    expect(status.message).toContain('strict decoding error: unknown field "spec.tooth"');
  });

  it('are warned of in a custom resource and pruned', async () => {
    const { body, warnings } = await gears.create({ metadata: { name: 'warn' }, spec: { teeth: 1, list: [{ a: 1, b: 2 }] } });

    expect(warnings).toEqual(['unknown field "spec.list[0].b"']);
    expect(body.spec).toEqual({ teeth: 1, list: [{ a: 1 }] });
  });

  it('are named one by one', async () => {
    const { warnings } = await gears.create({ metadata: { name: 'many' }, spec: { x: 1, y: 2 } });

    expect(warnings.sort()).toEqual(['unknown field "spec.x"', 'unknown field "spec.y"']);
  });

  it('are no matter in known fields', async () => {
    const answer = await gears.create({ metadata: { name: 'known' }, spec: { teeth: 1 } }, { fieldValidation: 'Strict' });

    expect(succeeded(answer).spec).toEqual({ teeth: 1 });
    expect(answer.warnings).toEqual([]);
  });

  it('are judged by no other rule than these three', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'other' } }, { fieldValidation: 'Sometimes' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'fieldValidation', reason: 'FieldValueNotSupported' }]);
  });
});
