import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigMap, KubeClient, Pod, TransportError, type WatchEvent } from '@elasti/operator-kit';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('KubeClient over real sockets', () => {
  const clients: KubeClient[] = [];
  const servers: Server[] = [];

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  async function serve(handler: Handler): Promise<{ client: KubeClient; server: Server; connections: () => number }> {
    let connections = 0;
    const server = createServer(handler);
    servers.push(server);
    server.on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = KubeClient.forServer({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'first' });
    clients.push(client);
    return { client, server, connections: () => connections };
  }

  function answer(response: ServerResponse, body: unknown, status = 200): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  it('keeps connections alive: requests one after the other share two at most', async () => {
    const { client, connections } = await serve((request, response) =>
      answer(response, { kind: 'ConfigMap', metadata: { name: request.url } }),
    );

    for (let i = 0; i < 20; i++) await client.get(ConfigMap, { namespace: 'shop', name: `settings-${i}` });

    // undici rests a connection for one turn of the event loop after each answer, so a second one takes turns with it.
    expect(connections()).toBeLessThanOrEqual(2);
  });

  it('hands out watch events and ends when the server ends the answer', async () => {
    const { client } = await serve((_request, response) => {
      response.writeHead(200);
      response.write('{"type":"ADDED","object":{"metadata":{"na');
      setImmediate(() => response.end('me":"a"}}}\n{"type":"DELETED","object":{"metadata":{"name":"a"}}}\n'));
    });

    const events: WatchEvent<Pod>[] = [];
    for await (const event of client.watch(Pod)) events.push(event);

    expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'a'],
      ['DELETED', 'a'],
    ]);
  });

  it('tells a broken stream from one that ended', async () => {
    const { client } = await serve((_request, response) => {
      response.writeHead(200);
      response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n', () => response.destroy());
    });
    const events: WatchEvent<Pod>[] = [];

    const watching = async () => {
      for await (const event of client.watch(Pod)) events.push(event);
    };

    await expect(watching()).rejects.toThrow(TransportError);
    expect(events).toHaveLength(1);
  });
});
