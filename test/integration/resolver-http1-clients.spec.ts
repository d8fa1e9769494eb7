import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcp } from 'node:net';
import { Pool, WebSocket } from 'undici';

import { acceptConnections } from '../../apps/resolver/src/proxy/accept';
import type { Resolver } from './resolver-http1.fixture';
import { GET, OK, RawClient, Scene, settled, until, WEB } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => scene.stop());

const MEGABYTE = 1024 * 1024;
const large = Buffer.alloc(16 * MEGABYTE, 'The quick brown fox. ');
const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A pod that is a whole HTTP server. */
async function httpPod(listener: RequestListener): Promise<{ resolver: Resolver; server: ReturnType<typeof createServer> }> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scene.add({
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
  const resolver = await scene.resolver();
  resolver.gate.ready({ podKey: 'pod-a', port: (server.address() as AddressInfo).port });
  return { resolver, server };
}

const sumOfBody: RequestListener = (incoming, response) => {
  void collect(incoming).then((body) => response.end(sum(body)));
};

describe('undici', () => {
  it('sends large bodies and gets large answers, many at once', async () => {
    const { resolver } = await httpPod((incoming, response) => void incoming.pipe(response));
    const pool = new Pool(resolver.origin, { connections: 4 });
    scene.add({ stop: () => pool.destroy() });

    const sums = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { body } = await pool.request({ method: 'PUT', path: '/', body: large });
        return sum(await collect(body));
      }),
    );

    expect(sums).toEqual(Array(4).fill(sum(large)));
  }, 30_000);

  it('pipelines hundreds of requests over few connections', async () => {
    const { resolver, server } = await httpPod((incoming, response) => void response.end(incoming.url));
    let connections = 0;
    server.on('connection', () => connections++);
    const pool = new Pool(resolver.origin, { connections: 2, pipelining: 10 });
    scene.add({ stop: () => pool.destroy() });

    const texts = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => (await pool.request({ method: 'GET', path: `/${i}` })).body.text()),
    );

    expect(texts).toEqual(Array.from({ length: 300 }, (_, i) => `/${i}`));
    expect(connections).toBeLessThanOrEqual(2);
  });

  it('talks over a WebSocket', async () => {
    const { resolver, server } = await httpPod(() => undefined);
    server.on('upgrade', (incoming, socket) => {
      const accept = createHash('sha1')
        .update(`${incoming.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      // A text frame of two letters, without a mask, as servers send it.
      socket.write(Buffer.from([0x81, 2, 104, 105]));
      socket.on('error', () => undefined);
      socket.on('data', () => void socket.end(Buffer.from([0x88, 0])));
    });
    const webSocket = new WebSocket(resolver.origin.replace('http', 'ws'));
    const message = await new Promise<unknown>((resolve) => webSocket.addEventListener('message', ({ data }) => resolve(data)));
    const closed = new Promise<void>((resolve) => webSocket.addEventListener('close', () => resolve()));

    webSocket.close();
    await closed;

    expect(message).toBe('hi');
    await until('the tunnel to be gone', () => resolver.tally.open === 0);
  });
});

describe("Node's own client", () => {
  function send(resolver: Resolver, options: { method: string; agent: Agent; headers?: Record<string, string> }) {
    const outgoing = request({ host: '127.0.0.1', port: resolver.port, path: '/', ...options });
    return { outgoing, answer: once(outgoing, 'response').then(([incoming]) => incoming as IncomingMessage) };
  }

  it('streams a body in chunks and reads the trailers of the answer', async () => {
    const { resolver } = await httpPod((incoming, response) => {
      response.writeHead(200, { Trailer: 'X-Sum' });
      void collect(incoming).then((body) => {
        response.addTrailers({ 'X-Sum': sum(body) });
        response.end('done');
      });
    });
    const agent = new Agent({ keepAlive: true });
    scene.add({ stop: () => agent.destroy() });

    const { outgoing, answer } = send(resolver, { method: 'POST', agent });
    for (let at = 0; at < large.length; at += MEGABYTE) outgoing.write(large.subarray(at, at + MEGABYTE));
    outgoing.end();
    const incoming = await answer;

    expect((await collect(incoming)).toString()).toBe('done');
    expect(incoming.trailers).toEqual({ 'x-sum': sum(large) });
  });

  it('waits for leave to send its body, and gets it from the pod', async () => {
    const { resolver } = await httpPod(sumOfBody);
    const agent = new Agent();
    scene.add({ stop: () => agent.destroy() });

    const { outgoing, answer } = send(resolver, { method: 'POST', agent, headers: { Expect: '100-continue', 'Content-Length': '3' } });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end('abc');

    expect((await collect(await answer)).toString()).toBe(sum(Buffer.from('abc')));
  });
});

describe('pressure', () => {
  it('of a client that does not read reaches the pod', async () => {
    let sent = 0;
    const { resolver } = await httpPod((_incoming, response) => {
      response.writeHead(200, { 'Content-Length': String(64 * MEGABYTE) });
      const more = (): void => {
        while (sent < 64 && response.write(large.subarray(0, MEGABYTE))) sent++;
        if (sent === 64) response.end();
        else response.once('drain', more);
        sent++;
      };
      more();
    });
    const client = await scene.client(resolver);
    client.socket.pause();

    client.send(GET);
    await expect(settled(() => sent)).resolves.toBeLessThan(32);
    let received = 0;
    client.socket.removeAllListeners('data');
    client.socket.on('data', (bytes) => (received += bytes.length));
    client.socket.resume();

    await until('all of it', () => received > 64 * MEGABYTE, 20_000);
  }, 30_000);

  it('of a pod that does not read reaches the client', async () => {
    const { client, pod } = await scene.all((socket) => void socket.pause());

    client.send(`POST / HTTP/1.1\r\nHost: web\r\nContent-Length: ${4 * large.length}\r\n\r\n`);
    const taken = client.pump(large.subarray(0, MEGABYTE), 64);
    await until('the request at the pod', () => pod.received !== '');

    await expect(settled(taken)).resolves.toBeLessThan(32);
    pod.connections[0]?.destroy();
    await client.until(/^HTTP\/1\.1 502 /);
  });
});

describe('a client that leaves', () => {
  it('takes its request with it', async () => {
    const { client, pod, gate, resolver } = await scene.all(() => undefined);
    client.send(GET);
    await until('the request at the pod', () => pod.received !== '');

    client.socket.destroy();

    await until('the pod to be left', () => pod.connections.every(({ destroyed, readableEnded }) => destroyed || readableEnded));
    expect(gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'done' }]);
    expect(resolver.tally.statuses).toEqual([undefined]);
  });
});

describe('connections taken as sockets, where Node gives no handles', () => {
  it('serve just the same', async () => {
    const { resolver, pod } = await scene.all();
    const server = createTcp({ allowHalfOpen: true, noDelay: true });
    server.on('connection', (socket) => resolver.forwarder.accept(socket, WEB));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    scene.add({ stop: () => void server.close() });
    const client = await RawClient.connect((server.address() as AddressInfo).port);
    scene.add({ stop: () => void client.socket.destroy() });

    client.send(`POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 100000\r\n\r\n${'a'.repeat(100_000)}${GET}`);

    await client.until((one) => one.text === OK + OK);
    expect(pod.received).toMatch(/\r\n\r\na{100000}GET \/ /);
  });

  it('are what is asked for when there is no handle to take', () => {
    const server = createTcp();

    expect(acceptConnections(server, () => undefined)).toBe('sockets');
    expect(server.listenerCount('connection')).toBe(1);
  });
});
