import { CustomResourceDefinition } from '@elasti/operator-kit';
import { succeeded } from './collection';
import { eventually } from './eventually';
import { useServer } from './harness';
import { aCrd } from './objects';

interface ResourceList {
  kind: string;
  groupVersion: string;
  resources: { name: string; kind: string; verbs: string[]; namespaced: boolean; shortNames?: string[] }[];
}

interface Aggregated {
  kind: string;
  apiVersion: string;
  items: {
    metadata: { name?: string };
    versions: {
      version: string;
      resources: { resource: string; scope: string; verbs: string[]; subresources?: { subresource: string }[] }[];
    }[];
  }[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

describe('discovery', () => {
  const server = useServer();

  const read = async <T>(path: string, accept?: string) => succeeded(await server.wire.call<T>('GET', path, { accept }));

  beforeAll(async () => {
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
    const draft = aCrd(server.group, 'Gadget', { spec: anything, status: anything }, { subresources });
    const names = { ...draft.spec.names, shortNames: ['gdg'], categories: ['all'] };
    await server.installCrd({ ...draft, spec: { ...draft.spec, names } });
  });

  it('tells its version', async () => {
    const version = await read<Record<string, string>>('/version');

    expect(version).toMatchObject({ major: '1', minor: expect.stringMatching(/^\d+/), gitVersion: expect.stringMatching(/^v1\.\d+/) });
  });

  it.each(['/healthz', '/livez', '/readyz'])('says ok at %s', async (path) => {
    expect(await read(path)).toBe('ok');
  });

  it('lists the versions of the core group', async () => {
    expect(await read('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  });

  it('lists the groups with their preferred versions', async () => {
    const { groups } = await read<{ groups: { name: string; preferredVersion: object }[] }>('/apis');

    expect(groups).toContainEqual(expect.objectContaining({ name: 'apps', preferredVersion: { groupVersion: 'apps/v1', version: 'v1' } }));
    expect(groups.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['apiextensions.k8s.io', 'coordination.k8s.io', 'events.k8s.io']),
    );
  });

  it('describes one group', async () => {
    expect(await read('/apis/apps')).toMatchObject({
      kind: 'APIGroup',
      name: 'apps',
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
  });

  it('describes the resources of the core group', async () => {
    const { kind, groupVersion, resources } = await read<ResourceList>('/api/v1');

    expect({ kind, groupVersion }).toEqual({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(resources).toContainEqual(
      expect.objectContaining({ name: 'configmaps', singularName: 'configmap', namespaced: true, kind: 'ConfigMap', shortNames: ['cm'] }),
    );
    expect(resources).toContainEqual(expect.objectContaining({ name: 'namespaces', namespaced: false, shortNames: ['ns'] }));
    expect(resources).toContainEqual(expect.objectContaining({ name: 'pods/status', kind: 'Pod', verbs: ['get', 'patch', 'update'] }));
  });

  it('names the verbs of a resource', async () => {
    const { resources } = await read<ResourceList>('/apis/apps/v1');

    const deployments = resources.find(({ name }) => name === 'deployments');

    expect(deployments?.verbs.sort()).toEqual(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']);
    expect(resources).toContainEqual(
      expect.objectContaining({ name: 'deployments/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' }),
    );
  });

  it('describes a custom resource with its short names, categories and subresources', async () => {
    const resources = await eventually(async () => (await read<ResourceList>(`/apis/${server.group}/v1`)).resources);

    expect(resources).toContainEqual(
      expect.objectContaining({
        name: 'gadgets',
        singularName: 'gadget',
        kind: 'Gadget',
        namespaced: true,
        shortNames: ['gdg'],
        categories: ['all'],
      }),
    );
    expect(resources.map(({ name }) => name).sort()).toEqual(['gadgets', 'gadgets/scale', 'gadgets/status']);
  });

  it('lists the group of a custom resource among the groups', async () => {
    await eventually(async () => {
      const { groups } = await read<{ groups: { name: string }[] }>('/apis');
      expect(groups.map(({ name }) => name)).toContain(server.group);
    });
  });

  it('tells everything of the core group in one answer when asked', async () => {
    const { kind, apiVersion, items } = await read<Aggregated>('/api', aggregated);

    expect({ kind, apiVersion }).toEqual({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
    const resources = items[0]?.versions[0]?.resources ?? [];
    expect(resources).toContainEqual(
      expect.objectContaining({
        resource: 'pods',
        scope: 'Namespaced',
        singularResource: 'pod',
        responseKind: expect.objectContaining({ kind: 'Pod' }),
      }),
    );
  });

  it('tells all groups in one answer when asked', async () => {
    const { items } = await read<Aggregated>('/apis', aggregated);

    const apps = items.find(({ metadata }) => metadata.name === 'apps');

    const deployments = apps?.versions[0]?.resources.find(({ resource }) => resource === 'deployments');
    expect(deployments?.subresources?.map(({ subresource }) => subresource).sort()).toEqual(['scale', 'status']);
  });

  it('tells custom resources in that answer too', async () => {
    await eventually(async () => {
      const { items } = await read<Aggregated>('/apis', aggregated);
      const ours = items.find(({ metadata }) => metadata.name === server.group);
      expect(ours?.versions[0]?.resources.map(({ resource }) => resource)).toEqual(['gadgets']);
    });
  });

  it('names the type of the answer', async () => {
    const { contentType } = await server.wire.call('GET', '/apis', { accept: aggregated });

    expect(contentType).toBe(aggregated);
  });

  it('forgets a group whose last definition is gone', async () => {
    const group = `gone.${server.group}`;
    await server.of(CustomResourceDefinition).given(aCrd(group, 'Ghost', {}));
    await eventually(async () => expect((await server.wire.call('GET', `/apis/${group}/v1`)).code).toBe(200));

    await server.of(CustomResourceDefinition).delete(`ghosts.${group}`);

    await eventually(async () => expect((await server.wire.call('GET', `/apis/${group}/v1`)).code).toBe(404));
  });

  it('knows nothing of a group that is not there', async () => {
    expect((await server.wire.call('GET', '/apis/nothing.example.com/v1')).code).toBe(404);
  });
});
