import type { Socket } from 'node:net';
import { OutgoingBody } from '../../apps/resolver/src/proxy/outgoing-body';
import { GET, OK, Scene, until } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => scene.stop());

const UPGRADE = 'GET / HTTP/1.1\r\nHost: web\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const resetAll = (sockets: readonly Socket[]) => sockets.forEach((socket) => socket.resetAndDestroy());

/** One request has passed, so a connection to the pod is kept. */
async function withKeptConnection(isWhole: (received: string) => boolean) {
  const all = await scene.all((socket, _text, { received }) => {
    if (received.startsWith('GET') || isWhole(received)) socket.write(OK);
  });
  await all.client.send(GET).until(/ok$/);
  all.client.text = '';
  all.pod.received = '';
  return all;
}

describe('a request for a kept connection that its pod has reset', () => {
  it.each([
    { method: 'POST', bytes: 20_000 },
    { method: 'POST', bytes: 40_000 },
    { method: 'PUT', bytes: 60_000 },
  ])('comes with every byte of its body to the next: $method of $bytes bytes', async ({ method, bytes }) => {
    const { client, pod } = await withKeptConnection((received) => received.endsWith('END'));
    const body = `${'a'.repeat(bytes - 3)}END`;

    client.send(`${method} / HTTP/1.1\r\nHost: web\r\nContent-Length: ${bytes}\r\n\r\n${body}`);
    resetAll(pod.connections);

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(pod.received.slice(pod.received.indexOf('\r\n\r\n') + 4)).toBe(body);
  });

  it('keeps its chunks whole, so that nobody can hide a request in one', async () => {
    const { client, pod } = await withKeptConnection((received) => received.endsWith('\r\n0\r\n\r\n'));
    const head = 'POST / HTTP/1.1\r\nHost: web\r\nTransfer-Encoding: chunked\r\n\r\n';
    const size = 40_000;
    const start = `${size.toString(16)}\r\n`;
    // The hidden one begins where the resolver's first read of this ends.
    const pad = 'a'.repeat(32 * 1024 - head.length - start.length);
    const data = `${pad}0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: web\r\n\r\n`.padEnd(size, 'b');

    client.send(`${head}${start}${data}\r\n0\r\n\r\n`);
    resetAll(pod.connections);

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(pod.received.slice(pod.received.indexOf('\r\n\r\n') + 4)).toBe(`${start}${data}\r\n0\r\n\r\n`);
  });

  it('does not mistake a piece of the body for the head that it reads like', async () => {
    const { client, pod, gate } = await scene.all(() => undefined);
    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 1000\r\n\r\nfirst');
    await until('the first piece', () => pod.received.endsWith('first'));
    const head = pod.received.slice(0, -5);
    pod.received = '';

    client.send(`${head}second`);
    resetAll(pod.connections);
    await until('the loss', () => gate.waiting.length === 1);
    gate.ready(pod);

    await until('the repeat', () => pod.received.length >= 2 * head.length + 11);
    expect(pod.received).toBe(`${head}first${head}second`);
  });

  it('goes out by a new one also when the pod counts as starting and has another kept connection', async () => {
    const resolver = await scene.resolver();
    const pod = await scene.pod();
    resolver.gate.ready(pod);
    const [one, two] = [await scene.client(resolver), await scene.client(resolver)];
    for (const client of [one, two]) client.send(GET);
    for (const client of [one, two]) await client.until(/ok$/);
    one.text = '';
    expect(pod.connections).toHaveLength(2);

    resolver.gate.ready({ podKey: pod.podKey, port: pod.port, startingSinceMs: 1 });
    one.send(GET);
    pod.connections[1]?.end();

    await expect(one.until(/ok$/)).resolves.toBe(OK);
  });
});

describe('what a pod says before anything was asked on its connection', () => {
  const EARLY = 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n';

  async function setup() {
    const { client, pod, resolver } = await scene.all((socket, text) => {
      const path = /^[A-Z]+ (\S+)/.exec(text)?.[1] ?? '';
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${path.length}\r\n\r\n${path}`);
    });
    await client.send(GET).until(/\r\n\r\n\/$/);
    client.text = '';
    return { client, pod, other: await scene.client(resolver) };
  }

  it('is no answer to what is about to go out there and must not be sent twice', async () => {
    const { client, pod } = await setup();

    // The kernel has both before the resolver's next turn, in this order.
    client.send('POST /mine HTTP/1.1\r\nHost: web\r\nContent-Length: 0\r\n\r\n');
    pod.connections[0]?.write(EARLY);

    await client.until(/\r\n\r\n[^]/);
    expect(client.text).toMatch(/\r\n\r\n\/mine$/);
  });

  it('leaves no answer behind for the next who asks', async () => {
    const { client, pod, other } = await setup();

    client.send('GET /mine HTTP/1.1\r\nHost: web\r\n\r\n');
    pod.connections[0]?.write(EARLY);
    await client.until(/\r\n\r\n/);
    other.send('GET /other HTTP/1.1\r\nHost: web\r\n\r\n');
    await other.until(/\r\n\r\n[^]/);

    expect(other.text).toMatch(/\r\n\r\n\/other$/);
  });
});

describe('the last words of a pod that resets its connection while it is written to', () => {
  it('reach the client as the answer', async () => {
    const resolver = await scene.resolver();
    const pod = await scene.pod((socket) => {
      if (socket.destroyed) return;
      socket.write('HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      // With bytes of the body unread, which resets it.
      socket.destroy();
    });
    resolver.gate.ready(pod);
    const client = await scene.client(resolver);

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 10000000\r\n\r\n');
    client.pump(Buffer.alloc(16_000, 'a'), 600);

    await client.until(/^HTTP\/1\.1 413 /);
    expect(pod.connections).toHaveLength(1);
  });

  it('reach the client at the end of a tunnel', async () => {
    const resolver = await scene.resolver();
    const pod = await scene.pod((socket, text) => {
      if (text.includes('Upgrade')) socket.write(SWITCH);
      else if (!socket.destroyed) socket.end('too large', () => socket.destroy());
    });
    resolver.gate.ready(pod);
    const client = await scene.client(resolver);
    await client.send(UPGRADE).until(/\r\n\r\n$/);

    client.pump(Buffer.alloc(20_000, 'a'), 300);

    await client.until(/\r\n\r\ntoo large$/);
  });
});

describe('a POST for a kept connection', () => {
  it('is kept for another no longer than until the kernel has it', async () => {
    const { client, pod } = await withKeptConnection((received) => received.endsWith('END'));
    const kept = jest.spyOn(OutgoingBody.prototype, 'onGiven');

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\n\r\nabc');
    await until('the request', () => pod.received.endsWith('abc'));

    const bodies = kept.mock.contexts as OutgoingBody[];
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.map(({ isReplayable }) => isReplayable)).not.toContain(true);
    kept.mockRestore();
  });
});
