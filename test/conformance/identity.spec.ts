import { ConfigMap, Deployment } from '@elasti/operator-kit';
import { useServer } from './harness';
import { aCrd, aDeployment, kindOf } from './objects';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('who an object is', () => {
  const server = useServer();
  const maps = server.docs(ConfigMap);
  const cups = server.docs(kindOf(server.group, 'Cup'));
  const deployments = server.docs(Deployment);

  beforeAll(async () => {
    await server.installCrd(aCrd(server.group, 'Cup', { spec: anything }));
    await cups.given({ metadata: { name: 'mug' } });
    await maps.given({ metadata: { name: 'map' } });
    await deployments.given(aDeployment('scaled'));
  });

  it.each([
    ['kind', { kind: 'Mug' }],
    ['apiVersion', { apiVersion: 'v1' }],
  ])('no patch changes the %s of a custom resource', async (field, patch) => {
    const { code, status } = await cups.patch('mug', 'merge', patch);

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field }]);
  });

  it('no patch changes the kind of a built-in resource', async () => {
    const { code, status } = await maps.patch('map', 'merge', { kind: 'Secret' });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'patch' }]);
    expect(status.message).toMatch(/converting \(v1\.Secret\) to \(core\.ConfigMap\): unknown conversion$/);
  });

  it('a patch to a value of the wrong type is blamed on the patch', async () => {
    const { code, status } = await maps.patch('map', 'merge', { data: { a: 1 } });

    expect(code).toBe(422);
    expect(status.details?.causes).toMatchObject([{ reason: 'FieldValueInvalid', field: 'patch' }]);
    expect(status.message).toMatch(/json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/);
  });

  it('no patch takes the name away', async () => {
    const { code, status } = await maps.patch('map', 'merge', { metadata: { name: null } });

    expect(code).toBe(400);
    expect(status.message).toBe('the name of the object (map based on URL) was undeterminable: name must be provided');
  });

  it('no Scale is put under another name', async () => {
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', spec: { replicas: 0 } };

    const other = await deployments.replace('scaled', { ...scale, metadata: { name: 'other' } }, {}, 'scale');
    const nameless = await deployments.replace('scaled', scale, {}, 'scale');

    expect([other.code, other.status.message]).toEqual([400, 'the name of the object (other) does not match the name on the URL (scaled)']);
    expect([nameless.code, nameless.status.message]).toEqual([
      400,
      'the name of the object (scaled based on URL) was undeterminable: name must be provided',
    ]);
  });

  it('an apply that names a uid makes nothing new', async () => {
    const { code, status } = await maps.apply('unborn', 'one', { metadata: { uid: 'somebody' } });

    expect([code, status.reason]).toEqual([409, 'Conflict']);
    expect(status.message).toContain('uid mismatch: the provided object specified uid somebody, and no existing object was found');
    expect((await maps.get('unborn')).code).toBe(404);
  });

  it('conflicts are told field by field, an object before what lies deeper', async () => {
    await deployments.apply('owned', 'one', aDeployment('owned'));

    const changed = aDeployment('owned', { replicas: 1, paused: false, strategy: { type: 'Recreate' } });
    await deployments.apply('owned', 'two', { metadata: changed.metadata, spec: { strategy: { type: 'Recreate' } } });
    const { code, status } = await deployments.apply('owned', 'three', {
      metadata: changed.metadata,
      spec: { replicas: 1, paused: false, template: { spec: { containers: [{ name: 'main', image: 'example.com/app:2' }] } } },
    });

    expect(code).toBe(409);
    expect(status.details?.causes?.map(({ field }) => field)).toEqual([
      '.spec.paused',
      '.spec.replicas',
      '.spec.template.spec.containers[name="main"].image',
    ]);
  });
});
