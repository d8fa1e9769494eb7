import { CustomResourceDefinition } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { eventually } from './eventually';
import { useServer } from './harness';
import { aCrd, kindOf } from './objects';
import type { CrdVersion } from './objects';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

describe('custom resource definitions', () => {
  const server = useServer();
  const crds = server.of(CustomResourceDefinition);

  const conditionsOf = async (name: string) => {
    const { status } = await crds.read(name);
    return new Map(status?.conditions?.map(({ type, status: value }) => [type, value]));
  };

  it('accepts the names and establishes the definition', async () => {
    const draft = aCrd(server.group, 'Fresh', { spec: anything });
    await crds.given(draft);

    await eventually(async () => expect((await conditionsOf(`freshs.${server.group}`)).get('Established')).toBe('True'));

    const { status } = await crds.read(`freshs.${server.group}`);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' }));
    expect(status?.acceptedNames).toMatchObject({ kind: 'Fresh', listKind: 'FreshList', plural: 'freshs', singular: 'fresh' });
    expect(status?.storedVersions).toEqual(['v1']);
  });

  it('fills in the singular, the list kind and no conversion', async () => {
    const draft = aCrd(server.group, 'Short', { spec: anything });

    const { body } = await crds.create({ ...draft, spec: { ...draft.spec, names: { plural: 'shorts', kind: 'Short' } } });

    expect(body.spec.names).toEqual({ plural: 'shorts', singular: 'short', kind: 'Short', listKind: 'ShortList' });
    expect(body.spec.conversion).toEqual({ strategy: 'None' });
  });

  it('serves the kind, its lists and its watches', async () => {
    await server.installCrd(aCrd(server.group, 'Served', { spec: anything }));
    const served = server.docs(kindOf(server.group, 'Served'));

    const made = await served.given({ metadata: { name: 'one' }, spec: { a: 1 } });
    const list = succeeded(await served.list());
    const watch = await served.watch({ resourceVersion: list.metadata.resourceVersion });
    await served.delete('one');

    expect(list).toMatchObject({ apiVersion: `${server.group}/v1`, kind: 'ServedList' });
    expect(list.items).toEqual([made]);
    await watch.seen('DELETED', 'one');
  });

  it('serves a cluster-scoped kind outside of namespaces', async () => {
    const draft = aCrd(server.group, 'Global', { spec: anything });
    await server.installCrd({ ...draft, spec: { ...draft.spec, scope: 'Cluster' } });
    const globals = server.docs({ ...kindOf(server.group, 'Global'), namespaced: false });

    const made = await globals.given({ metadata: { name: 'one' } });

    expect(made.metadata).not.toHaveProperty('namespace');
    expect((await globals.in(server.namespace).get('one')).code).toBe(404);
  });

  it('refuses a name that is not the plural and the group', async () => {
    const draft = aCrd(server.group, 'Wrong', { spec: anything });

    const { code, status } = await crds.create({ ...draft, metadata: { name: `other.${server.group}` } });

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(expect.objectContaining({ field: 'metadata.name', reason: 'FieldValueInvalid' }));
  });

  it('refuses a version without a schema', async () => {
    const draft = aCrd(server.group, 'Bare', {}, { schema: undefined });

    const { code, status } = await crds.create(draft);

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(
      expect.objectContaining({ field: 'spec.versions[0].schema.openAPIV3Schema', reason: 'FieldValueRequired' }),
    );
  });

  it('refuses a schema that is not structural, naming the field', async () => {
    const { code, status } = await crds.create(aCrd(server.group, 'Loose', { spec: { properties: { a: { type: 'string' } } } }));

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(
      expect.objectContaining({ field: 'spec.validation.openAPIV3Schema.properties[spec].type', reason: 'FieldValueRequired' }),
    );
  });

  it('refuses two versions that both are stored', async () => {
    const draft = aCrd(server.group, 'Double', { spec: anything });
    const [version] = draft.spec.versions;

    const { code, status } = await crds.create({ ...draft, spec: { ...draft.spec, versions: [version, { ...version, name: 'v2' }] } });

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(expect.objectContaining({ field: 'spec.versions' }));
  });

  it('refuses to change the scope or the kind of an established definition', async () => {
    const draft = aCrd(server.group, 'Firm', { spec: anything });
    await server.installCrd(draft);

    const { code, status } = await crds.patch(`firms.${server.group}`, 'merge', { spec: { scope: 'Cluster' } });

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(expect.objectContaining({ field: 'spec.scope' }));
  });

  it('refuses a default that breaks its own schema', async () => {
    const spec = { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 0 } } };

    const { code, status } = await crds.create(aCrd(server.group, 'Defaulted', { spec }));

    expect(code).toBe(422);
    expect(status.details?.causes).toContainEqual(
      expect.objectContaining({ field: 'spec.validation.openAPIV3Schema.properties[spec].properties[size].default' }),
    );
  });

  it('serves an object in each of its versions, whichever is stored', async () => {
    const draft = aCrd(server.group, 'Versioned', { spec: anything }, { storage: false });
    const [v1] = draft.spec.versions;
    await server.installCrd({ ...draft, spec: { ...draft.spec, versions: [v1, { ...v1, name: 'v2', storage: true }] as CrdVersion[] } });

    const made = await server.docs(kindOf(server.group, 'Versioned')).given({ metadata: { name: 'one' }, spec: { a: 1 } });
    const other = await server.docs(kindOf(server.group, 'Versioned', 'v2')).read('one');

    expect(made.apiVersion).toBe(`${server.group}/v1`);
    expect(other).toMatchObject({ apiVersion: `${server.group}/v2`, spec: { a: 1 }, metadata: { uid: made.metadata.uid } });
    expect((await crds.read(`versioneds.${server.group}`)).status?.storedVersions).toEqual(['v2']);
  });

  it('does not serve a version that is switched off', async () => {
    const draft = aCrd(server.group, 'Retired', { spec: anything });
    const [v1] = draft.spec.versions;
    const retired = { ...v1, name: 'v0', served: false, storage: false };
    await server.installCrd(draft);
    succeeded(await crds.patch(`retireds.${server.group}`, 'merge', { spec: { versions: [v1, retired] } }));

    const { code } = await server.docs(kindOf(server.group, 'Retired', 'v0')).list();

    expect(code).toBe(404);
  });

  it('takes the objects and the paths away with the definition', async () => {
    await server.installCrd(aCrd(server.group, 'Brief', { spec: anything }));
    const briefs = server.docs(kindOf(server.group, 'Brief'));
    await briefs.given({ metadata: { name: 'one' } });

    await crds.delete(`briefs.${server.group}`);

    await eventually(async () => expect((await crds.get(`briefs.${server.group}`)).code).toBe(404));
    await eventually(async () => expect((await briefs.list()).code).toBe(404));
  });
});
