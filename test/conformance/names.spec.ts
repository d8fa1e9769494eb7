import { ConfigMap, Deployment, Namespace } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aDeployment } from './objects';

describe('names and generations', () => {
  const server = useServer();
  const configMaps = server.of(ConfigMap);
  const deployments = server.of(Deployment);

  it('makes a name from generateName and five characters', async () => {
    const { code, body } = await configMaps.create({ metadata: { generateName: 'batch-' } });

    expect(code).toBe(201);
    expect(body.metadata.name).toMatch(/^batch-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(body.metadata.generateName).toBe('batch-');
  });

  it('makes another name each time', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => configMaps.given({ metadata: { generateName: 'many-' } })));

    expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(5);
  });

  it('takes the name rather than generateName when both are given', async () => {
    const { body } = await configMaps.create({ metadata: { name: 'chosen', generateName: 'made-' } });

    expect(body.metadata.name).toBe('chosen');
  });

  it('refuses an object without name and generateName', async () => {
    const { code, status } = await configMaps.create({ data: {} });

    expect(code).toBe(422);
    expect(status).toMatchObject({
      reason: 'Invalid',
      details: {
        kind: 'ConfigMap',
        causes: [{ reason: 'FieldValueRequired', field: 'metadata.name', message: 'Required value: name or generateName is required' }],
      },
    });
  });

  it('refuses a name that is no DNS subdomain', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'Not_A_Name' } });

    expect(code).toBe(422);
    expect(status.details).toMatchObject({
      name: 'Not_A_Name',
      kind: 'ConfigMap',
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.name' }],
    });
  });

  it('refuses a namespace whose name is no DNS label', async () => {
    const { code, status } = await server.of(Namespace).create({ metadata: { name: 'with.dots' } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'metadata.name' }]);
  });

  it('refuses label values that break the syntax, naming the field', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'badlabel', labels: { a: 'not ok!' } } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'metadata.labels' }]);
  });

  it('refuses annotation keys that break the syntax, naming the field', async () => {
    const { code, status } = await configMaps.create({ metadata: { name: 'badannotation', annotations: { 'not ok!': '' } } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'metadata.annotations' }]);
  });

  it('starts the generation of an object with a spec at 1, whatever the client says', async () => {
    const { metadata } = await deployments.given({ ...aDeployment('first'), metadata: { name: 'first', generation: 7 } });

    expect(metadata.generation).toBe(1);
  });

  it('gives an object without a spec no generation', async () => {
    const { metadata } = await configMaps.given({ metadata: { name: 'plain' } });

    expect(metadata).not.toHaveProperty('generation');
  });

  it('counts a change of the spec as a generation', async () => {
    await deployments.given(aDeployment('counted'));

    const { body } = await deployments.patch('counted', 'merge', { spec: { minReadySeconds: 3 } });

    expect(body.metadata.generation).toBe(2);
  });

  it('does not count a change of labels as a generation', async () => {
    await deployments.given(aDeployment('labelled'));

    const body = succeeded(await deployments.patch('labelled', 'merge', { metadata: { labels: { a: 'b' } } }));

    expect(body.metadata.labels).toEqual({ a: 'b' });
    expect(body.metadata.generation).toBe(1);
  });
});
