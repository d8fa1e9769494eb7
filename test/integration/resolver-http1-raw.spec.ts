import { connect as connectH2, createServer as createH2 } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { FakeClock } from '@elasti/operator-kit/testing';
import { GateError } from '../../apps/resolver/src/exchange';
import { type Link, Links } from '../../apps/resolver/src/proxy';
import { GET, OK, Scene, settled, until, WEB } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => {
  jest.restoreAllMocks();
  return scene.stop();
});

const HELLO = '\x16\x03\x01\x00\x05hello';
const echo = (socket: { write(text: string, encoding: 'latin1'): boolean }, text: string): void => void socket.write(`<${text}>`, 'latin1');

/** How many bytes the resolver has read of the next client that connects. */
function watchReading(): () => number {
  const accepted = jest.spyOn(Links.prototype, 'accept');
  return () => (accepted.mock.results[0]?.value as Link | undefined)?.bytesRead ?? 0;
}

/** A resolver with a pod and a client, on a clock of the test's own. `wasRead` waits until the resolver has read a piece more. */
async function paused(onData?: Parameters<Scene['all']>[0], options: Parameters<Scene['all']>[1] = {}) {
  const read = watchReading();
  const clock = new FakeClock();
  const all = await scene.all(onData, { ...options, clock, settings: { tickMs: 250 } });
  let expected = 0;
  const wasRead = (piece: string): Promise<void> => {
    expected += piece.length;
    return until('it to be read', () => read() === expected);
  };
  return { ...all, clock, wasRead };
}

describe('a connection that is not HTTP', () => {
  it('is held, then joined to a pod byte by byte', async () => {
    const read = watchReading();
    const resolver = await scene.resolver();
    const client = await scene.client(resolver);
    client.send(HELLO);
    await until('it to be held', () => resolver.gate.waiting.length === 1);
    client.send('more');
    await until('the rest to be read', () => read() === HELLO.length + 'more'.length);

    resolver.gate.ready(await scene.pod(echo));

    await client.until((one) => one.text === `<${HELLO}more>`);
    await client.send('again').until(/<again>$/);
  });

  it('is counted with what it brings, and with all that may be kept once it brings much', async () => {
    const resolver = await scene.resolver();
    const client = await scene.client(resolver);
    client.send(HELLO);
    await until('it to be held', () => resolver.gate.waiting.length === 1);
    const first = resolver.gate.waiting[0]?.request.bytesHeld ?? 0;

    client.send('a'.repeat(100_000));
    await until('it to be counted', () => (resolver.gate.waiting[0]?.request.bytesHeld ?? 0) >= 64 * 1024);
    const pod = await scene.pod(() => undefined);
    resolver.gate.ready(pod);

    await until('all of it', () => pod.received.length === HELLO.length + 100_000);
    expect(first).toBe(4 * 1024);
    expect(resolver.gate.asked).toHaveLength(2);
    expect(resolver.gate.outcomes).toEqual([]);
  });

  it('passes half-closes: what is said last is heard', async () => {
    const { client, resolver } = await scene.all((socket) => {
      socket.removeAllListeners('end');
      socket.on('end', () => void socket.end('all'));
    });

    client.socket.end('*1\r\nwhat is said last');

    await client.until(({ text, ended }) => ended && text === 'all');
    await until('the passage to be over', () => resolver.tally.open === 0);
    expect(resolver.tally.statuses).toEqual([undefined]);
  });

  it('is left when its client has ended and its pod neither speaks nor ends for five minutes', async () => {
    const { clock, client, pod, gate, resolver } = await paused((socket) => void socket.removeAllListeners('end'));
    client.socket.end('*1\r\nfor the record');
    await until('the pod to hear the end', () => pod.connections[0]?.readableEnded === true);

    await clock.advance(299_000);
    const before = [gate.openLeases, client.closed];
    await clock.advance(2_000);

    await client.until(({ closed }) => closed);
    expect([before, client.error]).toEqual([[1, false], expect.objectContaining({ code: 'ECONNRESET' })]);
    expect([gate.openLeases, resolver.forwarder.openUpstreams]).toEqual([0, 0]);
  });

  it('that says all it has to say while it is held is still heard', async () => {
    const resolver = await scene.resolver();
    const client = await scene.client(resolver);
    client.socket.end('*1\r\nquestion');
    await until('it to be held', () => resolver.gate.waiting.length === 1);

    const pod = await scene.pod((socket) => void socket.write('answer'));
    resolver.gate.ready(pod);

    await client.until(({ text, ended }) => ended && text === 'answer');
  });

  it.each([
    ['a TLS client that ends', 'end'],
    ['a client that resets', 'resetAndDestroy'],
  ] as const)('frees its place at once: %s', async (_name, leave) => {
    const resolver = await scene.resolver();
    const client = await scene.client(resolver);
    client.send(HELLO);
    await until('it to be held', () => resolver.gate.waiting.length === 1);

    client.socket[leave]();

    await until('the place to be free', () => resolver.gate.waiting.length === 0 && resolver.tally.open === 0);
  });

  it('is closed when the gate refuses it', async () => {
    const resolver = await scene.resolver();
    const client = await scene.client(resolver);
    client.send(HELLO);
    await until('it to be held', () => resolver.gate.waiting.length === 1);

    resolver.gate.waiting.shift()?.reject(new GateError('timed out', WEB, 'no pod'));

    await client.until(({ ended, closed }) => ended || closed);
  });

  it('goes to another pod when one refuses', async () => {
    const resolver = await scene.resolver();
    const gone = await scene.pod(undefined, 'pod-a');
    const pod = await scene.pod(echo, 'pod-b');
    const { port } = gone;
    await gone.stop();
    resolver.gate.ready({ podKey: 'pod-a', port }, pod);
    const client = await scene.client(resolver);

    await client.send(HELLO).until((one) => one.text === `<${HELLO}>`);

    expect(resolver.gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'refused' }]);
  });

  it('is refused on a port that names no service', async () => {
    const resolver = await scene.resolver({ target: 'by request' });
    const client = await scene.client(resolver);

    await client.send(`${HELLO}\r\n\r\n`).until(({ ended }) => ended);

    expect(client.text).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is joined before it says a word where the server speaks first', async () => {
    const resolver = await scene.resolver({ speaksFirst: 'server' });
    const pod = await scene.pod((socket) => void socket.write('250 hello\r\n'));
    resolver.gate.ready(pod);
    const client = await scene.client(resolver);
    await until('the connection', () => pod.connections.length === 1);

    pod.connections[0]?.write('220 ready\r\n');

    await client.until(/^220 ready\r\n$/);
    await client.send('GET / HTTP/1.1\r\n').until(/250 hello/);
  });

  describe('whose pod takes it and leaves', () => {
    const leaves = { resets: 'resetAndDestroy', ends: 'end' } as const;

    it.each(['resets', 'ends'] as const)('before a word is said: another is tried, and the client notices nothing: it %s', async (how) => {
      const resolver = await scene.resolver({ speaksFirst: 'server' });
      const [early, pod] = [await scene.pod(undefined, 'pod-a'), await scene.pod(echo, 'pod-b')];
      resolver.gate.ready(early, pod);
      const client = await scene.client(resolver);
      await until('the connection', () => early.connections.length === 1);

      early.connections[0]?.[leaves[how]]();
      await until('the other pod', () => pod.connections.length === 1);
      pod.connections[0]?.write('220 ready\r\n');

      await client.until(/^220 ready\r\n$/);
      await client.send('hello').until(/<hello>$/);
      expect(resolver.gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'broken' }]);
      expect([client.ended, client.error]).toEqual([false, undefined]);
    });

    it.each(['resets', 'ends'] as const)('after it was sent something: it is told, and nothing is sent twice: it %s', async (how) => {
      const resolver = await scene.resolver();
      const early = await scene.pod((socket) => void socket[leaves[how]](), 'pod-a');
      const other = await scene.pod(echo, 'pod-b');
      resolver.gate.ready(early, other);
      const client = await scene.client(resolver);

      await client.send(HELLO).until(({ ended, closed }) => ended || closed);
      client.socket.destroy();

      await until('the place to be free', () => resolver.gate.outcomes.length === 1);
      expect([resolver.gate.outcomes, other.connections.length]).toEqual([[{ podKey: 'pod-a', outcome: 'broken' }], 0]);
    });
  });

  it('ends with a stop', async () => {
    const { client, resolver, pod } = await scene.all(echo);
    await client.send(HELLO).until(/>$/);

    await resolver.stop();

    await client.until(({ ended, closed }) => ended || closed);
    await until('the pod to be left', () => pod.connections.every(({ destroyed, readableEnded }) => destroyed || readableEnded));
  });

  it('presses back: a pod that does not read stops the client', async () => {
    const { client, pod } = await scene.all(() => undefined);
    client.send(HELLO);
    await until('the passage', () => pod.received === HELLO);
    pod.connections[0]?.pause();

    const megabyte = Buffer.alloc(1024 * 1024, 'a');
    await expect(settled(client.pump(megabyte, 32))).resolves.toBeLessThan(16);
    pod.connections[0]?.resume();

    await until('all of it', () => pod.received.length === HELLO.length + 32 * 1024 * 1024, 10_000);
  });
});

describe('HTTP/2 by prior knowledge', () => {
  it('passes to one pod as it is', async () => {
    const server = createH2((request, response) => void response.end(`h2 ${request.url}`));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    scene.add({ stop: () => void server.close() });
    const resolver = await scene.resolver();
    const session = connectH2(resolver.origin);
    scene.add({ stop: () => session.destroy() });
    const stream = session.request({ ':path': '/x' });
    await until('it to be held', () => resolver.gate.waiting.length === 1);

    resolver.gate.ready({ podKey: 'pod-a', port: (server.address() as AddressInfo).port });

    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    await once(stream, 'end');
    expect(text).toBe('h2 /x');
  });
});

describe('HTTP that begins in small pieces', () => {
  it('is still taken for HTTP', async () => {
    const { client } = await scene.all();

    for (const byte of GET) {
      client.send(byte);
      await new Promise(setImmediate);
    }

    await expect(client.until(/ok$/)).resolves.toBe(OK);
  });

  it('is still taken for HTTP after pauses', async () => {
    const { clock, client, wasRead } = await paused();

    for (const piece of ['G', 'ET', ' ', '/ HTTP/1.1\r\n', 'Host: web\r\n\r\n']) {
      client.send(piece);
      await wasRead(piece);
      await clock.advance(2_500);
    }

    await expect(client.until(/ok$/)).resolves.toBe(OK);
  });

  it('is refused when no more comes', async () => {
    const { clock, client, wasRead } = await paused();

    client.send('GET');
    await wasRead('GET');
    await clock.advance(14_500);
    const before = client.text;
    await clock.advance(1_500);

    await client.until(({ ended }) => ended);
    expect([before, client.text.slice(0, 12)]).toEqual(['', 'HTTP/1.1 408']);
  });
});

describe('a first message that is no HTTP and looks a little like it', () => {
  it.each(['get hello\r\n', 'set http:page 0 0 3\r\nabc\r\n', 'GET key\r\n', 'PING\r\n', 'get /users/1\r\n'])(
    'passes at once: %j',
    async (text) => {
      const { client, pod } = await scene.all(echo);

      await client.send(text).until(/>$/);

      expect(pod.received).toBe(text);
    },
  );

  it.each(['HELLO', '\r\n', 'get h'])('passes after a second without more: %j', async (text) => {
    const { clock, client, pod, wasRead } = await paused(echo);
    client.send(text);
    await wasRead(text);

    await clock.advance(900);
    const before = pod.connections.length;
    await clock.advance(600);

    await client.until(/>$/);
    expect([before, pod.received]).toEqual([0, text]);
  });

  it('passes with its end', async () => {
    const { client, pod } = await scene.all((socket) => void socket.write('answer'));

    client.socket.end('HELLO');

    await client.until(({ text, ended }) => ended && text === 'answer');
    expect(pod.received).toBe('HELLO');
  });

  it('is left when its client ends where HTTP could have begun', async () => {
    const { client, pod } = await scene.all();

    client.socket.end('GET');

    await client.until(({ ended }) => ended);
    expect([client.text, pod.connections.length]).toEqual(['', 0]);
  });

  it.each(['GET foo HTTP/1.1\r\nHost: web\r\n\r\n', 'GET  / HTTP/1.1\r\nHost: web\r\n\r\n'])(
    'is refused when it is a bad request line: %j',
    async (text) => {
      const { client, pod } = await scene.all();

      await client.send(text).until(({ ended }) => ended);

      expect([client.text.slice(0, 12), pod.received]).toEqual(['HTTP/1.1 400', '']);
    },
  );

  it('is HTTP on a port that names no service, however long it takes', async () => {
    const { clock, client, wasRead } = await paused(undefined, { target: 'by request', policy: { targetOf: () => WEB } });
    client.send('HELLO');
    await wasRead('HELLO');

    await clock.advance(5_000);
    client.send(' / HTTP/1.1\r\nHost: web\r\n\r\n');

    await expect(client.until(/ok$/)).resolves.toBe(OK);
  });
});
