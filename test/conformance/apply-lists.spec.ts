import { Deployment, EndpointSlice } from '@elasti/operator-kit';
import type { KubeObject } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { useServer } from './harness';
import { aCrd, aDeployment, kindOf } from './objects';

const text = { type: 'string' };
const pair = { type: 'object', required: ['key'], properties: { key: text, value: text } };

describe('server-side apply: lists, maps and the status', () => {
  const server = useServer();
  const boards = server.docs(kindOf(server.group, 'Board'));

  const ownedBy = ({ metadata }: KubeObject, manager: string) => metadata.managedFields?.find((entry) => entry.manager === manager);

  beforeAll(async () => {
    const spec = {
      type: 'object',
      properties: {
        title: text,
        byKey: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'], items: pair },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        atomic: { type: 'array', items: text },
        map: { type: 'object', additionalProperties: text },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
      },
    };
    const status = { type: 'object', properties: { phase: text, note: text } };
    await server.installCrd(aCrd(server.group, 'Board', { spec, status }, { subresources: { status: {} } }));
  });

  it('merges a list by its declared key', async () => {
    await boards.apply('keyed', 'alice', { spec: { byKey: [{ key: 'a', value: '1' }] } });

    const { body } = await boards.apply('keyed', 'bob', { spec: { byKey: [{ key: 'b', value: '2' }] } });

    expect(body.spec).toEqual({
      byKey: [
        { key: 'a', value: '1' },
        { key: 'b', value: '2' },
      ],
    });
  });

  it('names an item of such a list by its key in the ownership', async () => {
    const body = succeeded(await boards.apply('named', 'alice', { spec: { byKey: [{ key: 'a', value: '1' }] } }));

    expect(ownedBy(body, 'alice')?.fieldsV1).toEqual({
      'f:spec': { 'f:byKey': { 'k:{"key":"a"}': { '.': {}, 'f:key': {}, 'f:value': {} } } },
    });
  });

  it('takes an empty list for another than the empty list of another manager, which reads as none', async () => {
    const slices = server.of(EndpointSlice);
    await slices.apply('empty', 'alice', { addressType: 'IPv4', endpoints: [], ports: [] });

    const { code, status } = await slices.apply('empty', 'bob', { addressType: 'IPv4', endpoints: [], ports: [] });

    expect(code).toBe(409);
    expect(status.details?.causes?.map(({ field, message }) => `${field}: ${message}`).sort()).toEqual([
      '.endpoints: conflict with "alice"',
      '.ports: conflict with "alice"',
    ]);
  });

  it('names an item of such a list by its key in a conflict', async () => {
    await boards.apply('clash', 'alice', { spec: { byKey: [{ key: 'a', value: '1' }] } });

    const { code, status } = await boards.apply('clash', 'bob', { spec: { byKey: [{ key: 'a', value: '2' }] } });

    expect(code).toBe(409);
    expect(status.details?.causes).toMatchObject([{ field: '.spec.byKey[key="a"].value', message: 'conflict with "alice"' }]);
  });

  it('removes the items that their manager no longer applies', async () => {
    await boards.apply('dropped', 'alice', { spec: { byKey: [{ key: 'a' }, { key: 'b' }] } });
    await boards.apply('dropped', 'bob', { spec: { byKey: [{ key: 'c' }] } });

    const { body } = await boards.apply('dropped', 'alice', { spec: { byKey: [{ key: 'b' }] } });

    expect(body.spec).toEqual({ byKey: [{ key: 'b' }, { key: 'c' }] });
  });

  it('joins the members of a set', async () => {
    await boards.apply('set', 'alice', { spec: { tags: ['a', 'b'] } });

    const { body } = await boards.apply('set', 'bob', { spec: { tags: ['b', 'c'] } });

    expect((body.spec as { tags: string[] }).tags.sort()).toEqual(['a', 'b', 'c']);
    expect(ownedBy(body, 'bob')?.fieldsV1).toEqual({ 'f:spec': { 'f:tags': { 'v:"b"': {}, 'v:"c"': {} } } });
  });

  it('takes a list without a declared type as one value', async () => {
    await boards.apply('atomic', 'alice', { spec: { atomic: ['a'] } });

    const refused = await boards.apply('atomic', 'bob', { spec: { atomic: ['b'] } });
    const forced = succeeded(await boards.apply('atomic', 'bob', { spec: { atomic: ['b'] } }, { force: true }));

    expect(refused).toMatchObject({ code: 409, status: { details: { causes: [{ field: '.spec.atomic' }] } } });
    expect(forced.spec).toEqual({ atomic: ['b'] });
    expect(ownedBy(forced, 'bob')?.fieldsV1).toEqual({ 'f:spec': { 'f:atomic': {} } });
  });

  it('merges a map key by key', async () => {
    await boards.apply('map', 'alice', { spec: { map: { a: '1' } } });

    const { body } = await boards.apply('map', 'bob', { spec: { map: { b: '2' } } });

    expect(body.spec).toEqual({ map: { a: '1', b: '2' } });
  });

  it('takes a map that is declared atomic as one value', async () => {
    await boards.apply('whole', 'alice', { spec: { whole: { a: '1' } } });

    const { code, status } = await boards.apply('whole', 'bob', { spec: { whole: { b: '2' } } });

    expect(code).toBe(409);
    expect(status.details?.causes).toMatchObject([{ field: '.spec.whole' }]);
  });

  it('owns the status apart from the object', async () => {
    await boards.apply('status', 'alice', { spec: { title: 'x' } });

    const body = succeeded(await boards.apply('status', 'alice', { status: { phase: 'Ready' } }, {}, 'status'));

    expect(body).toMatchObject({ spec: { title: 'x' }, status: { phase: 'Ready' } });
    expect(body.metadata.managedFields).toMatchObject([
      { manager: 'alice', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:title': {} } } },
      { manager: 'alice', operation: 'Apply', fieldsV1: { 'f:status': { 'f:phase': {} } }, subresource: 'status' },
    ]);
  });

  it('leaves the status out of an apply to the object', async () => {
    const { body } = await boards.apply('nostatus', 'alice', { spec: { title: 'x' }, status: { phase: 'Ready' } });

    expect(body).not.toHaveProperty('status');
    expect(ownedBy(body, 'alice')?.fieldsV1).toEqual({ 'f:spec': { 'f:title': {} } });
  });

  it('meets conflicts in the status too', async () => {
    await boards.given({ metadata: { name: 'statuses' } });
    await boards.apply('statuses', 'alice', { status: { phase: 'Ready' } }, {}, 'status');

    const { code, status } = await boards.apply('statuses', 'bob', { status: { phase: 'Broken' } }, {}, 'status');

    expect(code).toBe(409);
    expect(status.details?.causes).toMatchObject([{ field: '.status.phase', message: 'conflict with "alice" with subresource "status"' }]);
  });

  it('cannot apply the status of an object that is not there', async () => {
    const { code } = await boards.apply('absent', 'alice', { status: { phase: 'Ready' } }, {}, 'status');

    expect(code).toBe(404);
  });

  it('removes from the status what its manager no longer applies', async () => {
    await boards.given({ metadata: { name: 'shrinking' } });
    await boards.apply('shrinking', 'alice', { status: { phase: 'Ready', note: 'x' } }, {}, 'status');

    const { body } = await boards.apply('shrinking', 'alice', { status: { phase: 'Ready' } }, {}, 'status');

    expect(body.status).toEqual({ phase: 'Ready' });
  });

  it('merges the containers of a Deployment by name', async () => {
    const deployments = server.docs(Deployment);
    await deployments.apply('containers', 'alice', aDeployment('containers'));
    const sidecar = { spec: { template: { spec: { containers: [{ name: 'sidecar', image: 'side:1' }] } } } };

    const { code, body } = await deployments.apply('containers', 'bob', sidecar);

    expect(code).toBe(200);
    expect(body.spec).toMatchObject({ template: { spec: { containers: [{ name: 'main' }, { name: 'sidecar' }] } } });
  });

  it('takes a container away with the manager who brought it', async () => {
    const deployments = server.docs(Deployment);
    await deployments.apply('sidecar', 'alice', aDeployment('sidecar'));
    await deployments.apply('sidecar', 'bob', { spec: { template: { spec: { containers: [{ name: 'sidecar', image: 'side:1' }] } } } });

    const { body } = await deployments.apply('sidecar', 'bob', {});

    const { template } = body.spec as { template: { spec: { containers: { name: string }[] } } };
    expect(template.spec.containers.map(({ name }) => name)).toEqual(['main']);
  });

  it('lets the scale of a Deployment be set beside an applier of its template', async () => {
    const deployments = server.docs(Deployment);
    const spec = { ...(aDeployment('scaled').spec as object), replicas: undefined };
    await deployments.apply('scaled', 'alice', { spec });
    await deployments.patch('scaled', 'merge', { spec: { replicas: 2 } }, {}, 'scale');

    const { code, body } = await deployments.apply('scaled', 'alice', { spec: { ...spec, minReadySeconds: 4 } });

    expect(code).toBe(200);
    expect(body.spec).toMatchObject({ replicas: 2, minReadySeconds: 4 });
  });
});
