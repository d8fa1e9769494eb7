import { Deployment, StatefulSet } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, aDeployment, kindOf } from './objects';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('the scale subresource', () => {
  const server = useServer();
  const deployments = server.docs(Deployment);
  const fleets = server.docs(kindOf(server.group, 'Fleet'));
  const aScale = (replicas: number, metadata: object) => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } });

  beforeAll(async () => {
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' };
    const properties = {
      spec: { type: 'object', properties: { replicas: { type: 'integer', maximum: 10 } } },
      status: anything,
    };
    await server.installCrd(aCrd(server.group, 'Fleet', properties, { subresources: { status: {}, scale } }));
  });

  it('shows the replicas and the selector of a Deployment', async () => {
    const made = await deployments.given(aDeployment('shown'));

    const { code, body } = await deployments.get('shown', 'scale');

    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'shown', namespace: server.namespace, uid: made.metadata.uid, creationTimestamp: made.metadata.creationTimestamp },
      spec: {},
      status: { replicas: 0, selector: 'app=shown' },
    });
  });

  it('sets the replicas of a Deployment, as a generation', async () => {
    await deployments.given(aDeployment('set'));

    const { code, body } = await deployments.replace('set', aScale(2, { name: 'set', namespace: server.namespace }), {}, 'scale');

    expect(code).toBe(200);
    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } });
    expect(await deployments.read('set')).toMatchObject({ spec: { replicas: 2 }, metadata: { generation: 2 } });
  });

  it('sets the replicas by a merge patch', async () => {
    await deployments.given(aDeployment('patched'));

    const { code, body } = await deployments.patch('patched', 'merge', { spec: { replicas: 1 } }, {}, 'scale');

    expect(code).toBe(200);
    expect(body.spec).toEqual({ replicas: 1 });
  });

  it('sets the replicas of a StatefulSet', async () => {
    const sets = server.docs(StatefulSet);
    const { metadata, spec } = aDeployment('stateful') as { metadata: { name: string }; spec: Record<string, unknown> };
    await sets.given({ metadata, spec: { replicas: 0, selector: spec.selector, template: spec.template, serviceName: 'none' } });

    const scaled = succeeded(await sets.patch('stateful', 'merge', { spec: { replicas: 0 } }, {}, 'scale'));

    expect(scaled).toMatchObject({ kind: 'Scale', status: { selector: 'app=stateful' } });
  });

  it('refuses a scale that was read before another write', async () => {
    const made = await deployments.given(aDeployment('stale'));
    succeeded(await deployments.patch('stale', 'merge', { spec: { minReadySeconds: 1 } }));

    const { code, status } = await deployments.replace('stale', aScale(1, { ...made.metadata, managedFields: undefined }), {}, 'scale');

    expect(code).toBe(409);
    expect(status.reason).toBe('Conflict');
  });

  it('refuses fewer than no replicas', async () => {
    await deployments.given(aDeployment('negative'));

    const { code, status } = await deployments.patch('negative', 'merge', { spec: { replicas: -1 } }, {}, 'scale');

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'spec.replicas' }]);
  });

  it('knows no scale of a Deployment that is not there', async () => {
    const { code, status } = await deployments.get('nobody', 'scale');

    expect(code).toBe(404);
    expect(status.details).toMatchObject({ name: 'nobody', kind: 'deployments', group: 'apps' });
  });

  it('knows no scale of a kind that has none', async () => {
    const { code } = await server.wire.call('GET', `/api/v1/namespaces/${server.namespace}/configmaps/x/scale`);

    expect(code).toBe(404);
  });

  it('reads the scale of a custom object by the declared paths', async () => {
    await fleets.given({ metadata: { name: 'read' }, spec: { replicas: 3 } });
    await fleets.patch('read', 'merge', { status: { replicas: 2, selector: 'fleet=read' } }, {}, 'status');

    const { body } = await fleets.get('read', 'scale');

    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 2, selector: 'fleet=read' } });
  });

  it('cannot show the scale of a custom object whose replicas were never set', async () => {
    await fleets.given({ metadata: { name: 'unset' }, spec: {} });

    const { code, status } = await fleets.get('unset', 'scale');

    expect(code).toBe(500);
    expect(status.message).toContain('the spec replicas field ".spec.replicas" does not exist');
  });

  it('writes the scale of a custom object to the declared path, as a generation', async () => {
    await fleets.given({ metadata: { name: 'written' }, spec: { replicas: 3 } });

    const { code } = await fleets.replace('written', aScale(4, { name: 'written', namespace: server.namespace }), {}, 'scale');

    expect(code).toBe(200);
    expect(await fleets.read('written')).toMatchObject({ spec: { replicas: 4 }, metadata: { generation: 2 } });
  });

  it('holds the scale of a custom object to its schema', async () => {
    await fleets.given({ metadata: { name: 'limited' }, spec: { replicas: 3 } });

    const { code, status } = await fleets.patch('limited', 'merge', { spec: { replicas: 11 } }, {}, 'scale');

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ field: 'spec.replicas' }]);
  });

  it('patches the scale of a custom object', async () => {
    await fleets.given({ metadata: { name: 'patched' }, spec: { replicas: 3 } });

    const { body } = await fleets.patch('patched', 'json', [{ op: 'replace', path: '/spec/replicas', value: 5 }], {}, 'scale');

    expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
  });
});
