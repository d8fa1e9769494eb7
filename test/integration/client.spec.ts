import { ConfigMap, KubeClient, Pod, TransportError, type WatchEvent } from '@elasti/operator-kit';
import type { RequestListener } from 'node:http';
import { answer, eventually, RawServer } from './client-server';

const ref = { namespace: 'shop', name: 'settings' };
const found = { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref };
const addedLine = (name: string) => `${JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })}\n`;

describe('KubeClient over real sockets', () => {
  const stops: (() => Promise<void>)[] = [];

  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function serve(
    handler: RequestListener,
    options: { connections?: number } = {},
  ): Promise<{ server: RawServer; client: KubeClient }> {
    const server = await RawServer.start(handler);
    const client = KubeClient.forServer({ server: server.url, token: 'first', ...options });
    stops.push(
      () => client.close(),
      () => server.stop(),
    );
    return { server, client };
  }

  it('keeps connections alive: requests one after the other share two at most', async () => {
    const { server, client } = await serve((_request, response) => answer(response, found));

    for (let i = 0; i < 20; i++) await client.get(ConfigMap, ref);

    // undici rests a connection for one turn of the event loop after each answer, so a second one takes turns with it.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('opens no more connections than its setting allows', async () => {
    const { server, client } = await serve((_request, response) => void setImmediate(() => answer(response, found)), { connections: 3 });

    await Promise.all(Array.from({ length: 30 }, () => client.get(ConfigMap, ref)));

    expect(server.connections).toBe(3);
  });

  it('is not starved by watches', async () => {
    const { server, client } = await serve(
      (request, response) => {
        if (request.url?.includes('watch')) response.writeHead(200).flushHeaders();
        else answer(response, found);
      },
      { connections: 1 },
    );
    const watches = Array.from({ length: 5 }, () => client.watch(Pod)[Symbol.asyncIterator]());
    const pending = watches.map((watch) => watch.next());
    await eventually(() => server.requests.length === 5);

    await expect(client.get(ConfigMap, ref)).resolves.toEqual(found);

    for (const watch of watches) await watch.return?.();
    await Promise.all(pending);
  });

  it('does not show a connection that the server closed meanwhile', async () => {
    const { server, client } = await serve((_request, response) => answer(response, found));
    await client.get(ConfigMap, ref);

    server.sockets.forEach((socket) => socket.destroy());

    await expect(client.get(ConfigMap, ref)).resolves.toEqual(found);
  });

  it('survives a server that cuts a kept-alive connection just as the next request arrives', async () => {
    let served = 0;
    const { client } = await serve((request, response) => {
      if (++served === 2) request.socket.destroy();
      else answer(response, found);
    });
    await client.get(ConfigMap, ref);

    await expect(client.get(ConfigMap, ref)).resolves.toEqual(found);
  });

  it('frees the socket when a request is aborted', async () => {
    const { server, client } = await serve(() => undefined);
    const giveUp = new AbortController();
    const failed = client.get(ConfigMap, ref, { signal: giveUp.signal }).catch((error: unknown) => error);
    await eventually(() => server.requests.length === 1);

    giveUp.abort(new Error('stopping'));

    expect(await failed).toBe(giveUp.signal.reason);
    await eventually(() => server.sockets.size === 0);
  });

  it('frees the socket when a request is not answered in time', async () => {
    const { server, client } = await serve(() => undefined);

    await expect(client.get(ConfigMap, ref, { timeoutMs: 50 })).rejects.toThrow('no answer within 50 ms');

    await eventually(() => server.sockets.size === 0);
  });

  it('leaves no socket open after close, and fails what was running', async () => {
    const { server, client } = await serve((request, response) => {
      if (request.url?.includes('watch')) response.writeHead(200).flushHeaders();
      else if (!request.url?.endsWith('slow')) answer(response, found);
    });
    await client.get(ConfigMap, ref);
    const running = client.get(ConfigMap, { ...ref, name: 'slow' }).catch((error: unknown) => error);
    const watch = client.watch(Pod)[Symbol.asyncIterator]();
    const watching = watch.next().catch((error: unknown) => error);
    await eventually(() => server.requests.length === 3);

    await client.close();

    expect(await running).toBeInstanceOf(TransportError);
    expect(await watching).toBeInstanceOf(TransportError);
    await eventually(() => server.sockets.size === 0);
  });

  it('says which request found nobody listening', async () => {
    const { server, client } = await serve(() => undefined);
    await server.stop();

    await expect(client.get(ConfigMap, ref)).rejects.toThrow(/^GET \/api\/v1\/namespaces\/shop\/configmaps\/settings: .*ECONNREFUSED/);
  });

  it('hands out watch events however they are cut and ends when the server ends the answer', async () => {
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
      response.write(addedLine('a'), () => response.destroy());
    });
    const events: WatchEvent<Pod>[] = [];

    const watching = async () => {
      for await (const event of client.watch(Pod)) events.push(event);
    };

    await expect(watching()).rejects.toThrow(TransportError);
    expect(events).toHaveLength(1);
  });

  it('closes the connection of a watch that is left', async () => {
    const { server, client } = await serve((_request, response) => void response.writeHead(200).write(addedLine('a')));

    for await (const event of client.watch(Pod)) if (event.type === 'ADDED') break;

    await eventually(() => server.sockets.size === 0);
  });

  it('makes a fast server wait for a slow consumer, and then loses nothing', async () => {
    const total = 20_000;
    let written = 0;
    let waited = false;
    const line = addedLine('x'.repeat(1000));
    const { client } = await serve((_request, response) => {
      response.writeHead(200);
      const go = (): void => {
        while (written < total) {
          written++;
          if (!response.write(line)) {
            waited = true;
            response.once('drain', go);
            return;
          }
        }
        response.end();
      };
      go();
    });
    const watch = client.watch(Pod)[Symbol.asyncIterator]();
    await watch.next();
    await eventually(() => waited);
    const writtenBeforeReading = written;

    let read = 1;
    for (let next = await watch.next(); !next.done; next = await watch.next()) read++;

    expect(writtenBeforeReading).toBeLessThan(total);
    expect(read).toBe(total);
  });
});
