import { ScriptedServer } from '../testing';
import { ConfigMap } from './builtins';
import { KubeClient } from './kube-client';
import { GoneError } from './kube.errors';

const item = (name: string) => ({ metadata: { name, uid: `uid-${name}` } });
const page = (names: string[], token?: string) => ({ body: { metadata: { continue: token }, items: names.map(item) } });
const expired = (offered?: string) => ({
  status: 410,
  body: { kind: 'Status', code: 410, reason: 'Expired', metadata: { continue: offered } },
});

function setup() {
  const server = new ScriptedServer();
  const client = KubeClient.forServer({ server: 'https://api.example', poolFactory: server.poolFactory });
  const names = async () => {
    const all: string[] = [];
    for await (const { apiVersion, kind, metadata } of client.listAll(ConfigMap, { namespace: 'shop' })) {
      all.push(`${apiVersion} ${kind} ${metadata.name}`);
    }
    return all.map((text) => text.replace('v1 ConfigMap ', ''));
  };
  const queries = () => server.requests.map(({ path }) => path.split('?')[1]);
  return { server, names, queries };
}

describe('listAll', () => {
  it('pages by 500 and hands out every item with its type', async () => {
    const { server, names, queries } = setup();
    server.script(page(['a', 'b'], 't1'), page(['c'], 't2'), page(['d']));

    await expect(names()).resolves.toEqual(['a', 'b', 'c', 'd']);

    expect(queries()).toEqual(['limit=500', 'limit=500&continue=t1', 'limit=500&continue=t2']);
  });

  it('goes on from the token that the server offers for an expired one', async () => {
    const { server, names, queries } = setup();
    server.script(page(['a'], 'old'), expired('new'), page(['b']));

    await expect(names()).resolves.toEqual(['a', 'b']);

    expect(queries()).toEqual(['limit=500', 'limit=500&continue=old', 'limit=500&continue=new']);
  });

  it('reads everything in one piece when the token expired and none is offered, each object once', async () => {
    const { server, names, queries } = setup();
    server.script(page(['a', 'b'], 'old'), expired(), page(['a', 'b', 'c']));

    await expect(names()).resolves.toEqual(['a', 'b', 'c']);

    expect(queries()).toEqual(['limit=500', 'limit=500&continue=old', undefined]);
  });

  it('does not ask again when the first page is refused', async () => {
    const { server, names } = setup();
    server.script(expired());

    await expect(names()).rejects.toThrow(GoneError);
  });

  it('takes an empty list whose items are null', async () => {
    const { server, names } = setup();
    server.script({ body: { metadata: {}, items: null } });

    await expect(names()).resolves.toEqual([]);
  });
});
