import { ScriptedServer } from '../testing';
import { KubeClient } from './kube-client';
import { UnknownKindError } from './request.errors';

const resources = (...kinds: string[]) => ({
  body: {
    resources: kinds.flatMap((kind) => [
      { name: `${kind.toLowerCase()}s/status`, kind, namespaced: true, verbs: ['get'] },
      { name: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['get'] },
    ]),
  },
});

function setup() {
  const server = new ScriptedServer();
  const discovery = KubeClient.forServer({ server: 'https://api.example', poolFactory: server.poolFactory }).discovery();
  return { server, discovery };
}

describe('Discovery.resourceFor', () => {
  it('tells how to address a kind, asking once for all kinds of a group version', async () => {
    const { server, discovery } = setup();
    server.script(resources('WebApp', 'WebPage'));

    await expect(discovery.resourceFor('example.com/v1', 'WebApp')).resolves.toEqual({
      group: 'example.com',
      version: 'v1',
      kind: 'WebApp',
      plural: 'webapps',
      namespaced: true,
    });
    await expect(discovery.resourceFor('example.com/v1', 'WebPage')).resolves.toMatchObject({ plural: 'webpages' });

    expect(server.requests.map(({ path }) => path)).toEqual(['/apis/example.com/v1']);
  });

  it('knows the core group', async () => {
    const { server, discovery } = setup();
    server.script(resources('Pod'));

    await expect(discovery.resourceFor('v1', 'Pod')).resolves.toMatchObject({ group: '', version: 'v1' });

    expect(server.requests[0]?.path).toBe('/api/v1');
  });

  it('looks again for a kind that was installed meanwhile', async () => {
    const { server, discovery } = setup();
    server.script(resources('WebApp'), resources('WebApp', 'WebPage'));
    await discovery.resourceFor('example.com/v1', 'WebApp');

    await expect(discovery.resourceFor('example.com/v1', 'WebPage')).resolves.toMatchObject({ plural: 'webpages' });
  });

  it('has a typed error for an unknown kind and for an unknown group', async () => {
    const { server, discovery } = setup();
    server.script(resources('WebApp'), { status: 404, body: '404 page not found' });

    await expect(discovery.resourceFor('example.com/v1', 'Webapp')).rejects.toThrow(UnknownKindError);
    await expect(discovery.resourceFor('exmaple.com/v1', 'WebApp')).rejects.toThrow('the API server knows no WebApp in exmaple.com/v1');
  });
});

describe('Discovery', () => {
  it('reads the version of the server and its groups', async () => {
    const { server, discovery } = setup();
    server.script({ body: { major: '1', minor: '36', gitVersion: 'v1.36.4' } }, { body: { groups: [{ name: 'apps', versions: [] }] } });

    await expect(discovery.serverVersion()).resolves.toMatchObject({ gitVersion: 'v1.36.4' });
    await expect(discovery.groups()).resolves.toMatchObject([{ name: 'apps' }]);
  });
});
