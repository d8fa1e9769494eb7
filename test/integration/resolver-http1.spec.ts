import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { FakeClock } from '@elasti/operator-kit/testing';

import { GET, OK, Scene, settled, until } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => scene.stop());

const post = (body: string): string => `POST / HTTP/1.1\r\nHost: web\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe('a request and its answer', () => {
  it('pass through', async () => {
    const { client, pod } = await scene.all();

    client.send('GET /x?y=1 HTTP/1.1\r\nHost: web\r\n\r\n');

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(pod.received).toMatch(/^GET \/x\?y=1 HTTP\/1\.1\r\nHost: web\r\n/);
    expect(pod.received).toContain('\r\nX-Forwarded-For: 127.0.0.1\r\n');
  });

  it('use one connection on each side, one after the other', async () => {
    const { client, pod, gate, resolver } = await scene.all();

    for (let i = 1; i <= 3; i++) await client.send(GET).until((one) => one.text.length === OK.length * i);

    expect(pod.connections).toHaveLength(1);
    expect(gate.outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    expect(resolver.tally).toMatchObject({ open: 0, statuses: [200, 200, 200] });
  });

  it('may come byte by byte', async () => {
    const { client, pod } = await scene.all((socket, _text, { received }) => {
      if (received.endsWith('abc')) for (const byte of OK) socket.write(byte);
    });

    for (const byte of post('abc')) {
      client.send(byte);
      await new Promise(setImmediate);
    }

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(pod.received).toMatch(/\r\n\r\nabc$/);
  });

  it('take their turn when the client does not wait', async () => {
    let open = 0;
    const { client, pod } = await scene.all((socket, text) => {
      expect(++open).toBe(1);
      setTimeout(() => {
        open--;
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${/\/(\w\w)/.exec(text)?.[1] ?? ''}`);
      }, 5);
    });

    client.send('GET /01 HTTP/1.1\r\nHost: web\r\n\r\n' + post('xx').replace('/', '/02') + 'GET /03 HTTP/1.1\r\nHost: web\r\n\r\n');

    await expect(client.until(/01[^]*02[^]*03$/)).resolves.toMatch(/01[^]*02[^]*03$/);
    expect(pod.received.match(/HTTP\/1\.1\r\n/g)).toHaveLength(3);
  });

  it('stream in chunks with trailers, both ways', async () => {
    const chunks = '3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Sum: 7\r\n\r\n';
    const { client, pod } = await scene.all((socket, _text, { received }) => {
      if (received.endsWith('\r\n\r\n') && received.includes('X-Sum')) {
        socket.write(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n${chunks}`);
      }
    });

    client.send('POST / HTTP/1.1\r\nHost: web\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n').send(chunks.slice(0, 9));
    await until('the first chunk at the pod', () => pod.received.endsWith('abc\r\n4'));
    client.send(chunks.slice(9));

    await expect(client.until(/X-Sum: 7\r\n\r\n$/)).resolves.toMatch(new RegExp(`\r\n\r\n${chunks.replace('$', '')}$`));
    expect(pod.received.endsWith(chunks)).toBe(true);
  });

  it('pass each event at once', async () => {
    const { client, pod } = await scene.all((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n');
    });
    await client.send(GET).until(/\r\n\r\n$/);

    for (const event of ['one', 'two']) {
      pod.connections[0]?.write(`9\r\ndata: ${event}\r\n`);
      await client.until(new RegExp(`data: ${event}\r\n$`));
    }
  });

  it('have no body for HEAD, 204 and 304', async () => {
    const answers = [
      '200 OK\r\nContent-Length: 5',
      '204 No Content',
      '304 Not Modified\r\nContent-Length: 5',
      '200 OK\r\nContent-Length: 1',
    ];
    const { client, pod } = await scene.all((socket) => void socket.write(`HTTP/1.1 ${answers.shift() ?? ''}\r\n\r\n`));

    await client.send(GET.replace('GET', 'HEAD')).until(/200 OK\r\nContent-Length: 5\r\n\r\n$/);
    await client.send(GET).until(/204 No Content\r\n\r\n$/);
    await client.send(GET).until(/304 Not Modified\r\nContent-Length: 5\r\n\r\n$/);
    await client.send(GET).until(/200 OK\r\nContent-Length: 1\r\n\r\n$/);

    expect(pod.connections).toHaveLength(1);
  });

  it('end with the connection when the answer has no other end', async () => {
    const { client } = await scene.all((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\nto the end'));

    await client.send(GET).until(({ ended }) => ended);

    expect(client.text).toBe('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end');
  });

  it('speak HTTP/1.0 with those who do', async () => {
    const { client, pod } = await scene.all();

    await client.send('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n').until(/ok$/);
    await client.send('GET / HTTP/1.0\r\n\r\n').until(({ ended }) => ended);

    expect(pod.received).toMatch(/^GET \/ HTTP\/1\.0\r\n/);
    expect(client.text).toMatch(/Connection: keep-alive\r\n\r\nok[^]*Connection: close\r\n\r\nok$/);
  });

  it('close when the client asks for it', async () => {
    const { client } = await scene.all();

    await client.send('GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n').until(({ ended }) => ended);

    expect(client.text).toContain('\r\nConnection: close\r\n');
  });

  it('close once the service takes its traffic itself', async () => {
    let movingOn = false;
    const { client } = await scene.all(undefined, { policy: { isMovingOn: () => movingOn } });
    await client.send(GET).until(/ok$/);
    expect(client.text).not.toContain('Connection');

    movingOn = true;
    await client.send(GET).until(({ ended }) => ended);

    expect(client.text).toMatch(/Connection: close\r\n\r\nok$/);
  });

  it('are all answered when they came in a row, and the last tells the client to go', async () => {
    const { client } = await scene.all(undefined, { policy: { isMovingOn: () => true } });

    await client.send(`${GET}${GET}${GET}\r\n`).until(({ ended }) => ended);

    const closing = OK.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    expect(client.text).toBe(`${OK}${OK}${closing}`);
  });

  it('are let through while the process drains, and the client is told to go', async () => {
    const { client, resolver, pod } = await scene.all(() => undefined);
    client.send(GET);
    await until('the request at the pod', () => pod.received !== '');

    resolver.forwarder.drain();
    pod.connections[0]?.write(OK);

    await client.until(/Connection: close\r\n\r\nok$/);
    await client.until(({ ended }) => ended);
  });
});

describe('interim answers', () => {
  it('pass before the final one', async () => {
    const { client } = await scene.all((socket) => void socket.write(`HTTP/1.1 103 Early Hints\r\nLink: a\r\nConnection: x\r\n\r\n${OK}`));

    await expect(client.send(GET).until(/ok$/)).resolves.toBe(`HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${OK}`);
  });

  it("carry the pod's leave to go on, and the body follows only then", async () => {
    const { client, pod } = await scene.all((socket, text, { received }) => {
      if (received.endsWith('\r\n\r\n')) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
      if (text.endsWith('abc')) socket.write(OK);
    });

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n');
    await client.until(/100 Continue\r\n\r\n$/);
    expect(pod.received).toMatch(/\r\nExpect: 100-continue\r\n/);
    client.send('abc');

    await client.until(/ok$/);
  });

  it('are not made up by us: a pod that refuses the body is heard, and the connection closed, since the body may still come', async () => {
    const { client } = await scene.all((socket) => void socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n'));

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n');

    await client.until(({ ended }) => ended);
    expect(client.text).toBe('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  });
});

describe('an upgrade', () => {
  const upgrade = 'GET /chat HTTP/1.1\r\nHost: web\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
  const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';

  it('is demanded in the words of the pod', async () => {
    const required = 'HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nno';
    const { client } = await scene.all((socket) => void socket.write(required));

    await expect(client.send(GET).until(/no$/)).resolves.toBe(required);
  });

  it('joins both sides, with the bytes that came early on either', async () => {
    const { client, pod } = await scene.all((socket, text) => void socket.write(text.startsWith('GET') ? `${switched}hello` : `<${text}>`));

    client.send(`${upgrade}early`);

    await client.until(/<early>$/);
    await client.send('more').until(/<more>$/);
    expect(client.text).toBe(`${switched}hello<early><more>`);
    expect(pod.received).toMatch(/\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearlymore$/);
  });

  it('passes half-closes, one direction at a time', async () => {
    const { client, pod, resolver } = await scene.all((socket, text) => {
      if (!text.startsWith('GET')) return;
      socket.removeAllListeners('end');
      socket.on('end', () => void socket.end('last words'));
      socket.write(switched);
    });
    await client.send(upgrade).until(/\r\n\r\n$/);

    client.socket.end('bye');
    await client.until(({ ended }) => ended);

    expect(pod.received).toMatch(/bye$/);
    expect(client.text).toMatch(/last words$/);
    await until('the tunnel to be gone', () => resolver.forwarder.openConnections === 0);
    expect(resolver.tally.statuses).toEqual([101]);
  });

  it('is left when one side has ended and the other neither speaks nor ends for five minutes', async () => {
    const clock = new FakeClock();
    const answer = (socket: Socket) => {
      socket.removeAllListeners('end');
      socket.write(switched);
    };
    const { client, pod, gate, resolver } = await scene.all(answer, { clock, settings: { tickMs: 250 } });
    await client.send(upgrade).until(/\r\n\r\n$/);

    client.socket.end();
    await until('the pod to hear the end', () => pod.connections[0]?.readableEnded === true);
    await clock.advance(299_000);
    const before = gate.openLeases;
    await clock.advance(2_000);

    await client.until(({ closed }) => closed);
    expect([before, gate.openLeases, resolver.forwarder.openUpstreams]).toEqual([1, 0, 0]);
  });

  it('passes a reset on', async () => {
    const { client, pod } = await scene.all((socket) => void socket.write(switched));
    await client.send(upgrade).until(/\r\n\r\n$/);
    const gone = new Promise<boolean>((resolve) => pod.connections[0]?.on('close', resolve));

    client.socket.resetAndDestroy();

    await expect(gone).resolves.toBe(true);
  });

  it('may be declined, and the connection used further', async () => {
    const { client } = await scene.all();

    await client.send(upgrade).until(/ok$/);
    await client.send(GET).until(/ok[^]+ok$/);
  });

  it('that nobody asked for is a fault of the pod', async () => {
    const { client } = await scene.all((socket) => void socket.write(switched));

    await client.send(GET).until(/502 Bad Gateway/);
  });
});

describe('a request that has come here before', () => {
  it('for the same service is 508', async () => {
    const { client, pod, resolver } = await scene.all((socket, text) => void socket.write(OK + text.slice(0, 0)));
    await client.send(GET).until(/ok$/);
    const marker = /X-Elasti-Via: .*\r\n/.exec(pod.received)?.[0] ?? '';

    await client.send(GET.replace('\r\n\r\n', `\r\n${marker}\r\n`)).until(/508 Loop Detected[^]+shop\/web:80/);
    expect(resolver.tally.refusals).toEqual(['shop/web came back']);
  });
});

describe('a port that names no service', () => {
  it('asks whom each request is for, by its head', async () => {
    const asked: (string | undefined)[] = [];
    const { client, resolver } = await scene.all(undefined, {
      target: 'by request',
      policy: {
        targetOf: (request) => {
          asked.push(request.host, request.header('x-for'));
          return request.host === 'web.shop' ? { namespace: 'shop', service: 'web', port: 80 } : undefined;
        },
      },
    });

    await client.send('GET / HTTP/1.1\r\nHost: web.shop\r\nX-For: a\r\n\r\n').until(/ok$/);
    await client.send('GET / HTTP/1.1\r\nHost: web.shop\r\n\r\n').until(/ok[^]+ok$/);
    await client.send('GET / HTTP/1.1\r\nHost: other\r\n\r\n').until(({ ended }) => ended);

    expect(asked).toEqual(['web.shop', 'a', 'web.shop', undefined, 'other', undefined]);
    expect(client.text).toMatch(/404 Not Found[^]+Connection: close\r\n[^]+known here\n$/);
    expect(resolver.tally.refusals).toEqual(['somebody unknown']);
  });
});

describe('time limits', () => {
  it('end a head that does not come to its end', async () => {
    const { client, resolver } = await scene.all(undefined, { settings: { headTimeoutMs: 60 } });

    const drip = setInterval(() => client.send('a'), 10);
    await client.send('GET / HTTP/1.1\r\nHost: ').until(({ ended }) => ended);
    clearInterval(drip);

    expect(client.text).toMatch(/^HTTP\/1\.1 408 /);
    expect(resolver.tally.refusals).toEqual(['shop/web late']);
  });

  it('close an idle client, and one that sends but empty lines', async () => {
    const { client, resolver } = await scene.all(undefined, { settings: { idleClientMs: 100 } });
    const empty = await scene.client(resolver);
    await empty.send(GET).until(/ok$/);

    const drip = setInterval(() => empty.send('\r\n'), 10);
    await client.until(({ ended }) => ended);
    await empty.until(({ ended, closed }) => ended || closed);
    clearInterval(drip);
  });

  const keptFor = (seconds: number) => OK.replace('OK\r\n', `OK\r\nKeep-Alive: timeout=${seconds}\r\n`);

  it('close an idle connection to a pod, a second before the pod said it would', async () => {
    const clock = new FakeClock();
    const { client, resolver } = await scene.all((socket) => void socket.write(keptFor(5)), { clock });
    await client.send(GET).until(/ok$/);

    await clock.advance(3_900);
    const before = resolver.forwarder.pools.openConnections;
    await clock.advance(200);

    expect([before, resolver.forwarder.pools.openConnections]).toEqual([1, 0]);
  });

  it.each([0, 1])('keep no connection that the pod closes after %d s: a request could meet the close', async (seconds) => {
    const { client, resolver } = await scene.all((socket) => void socket.write(keptFor(seconds)), { clock: new FakeClock() });

    await client.send(GET).until(/ok$/);

    expect(resolver.forwarder.pools.openConnections).toBe(0);
  });

  it('keep connections beyond those that are kept for long only for a moment, and use them again until then', async () => {
    const clock = new FakeClock();
    const settings = { maxIdlePerPod: 1, spareUpstreamMs: 1_000 };
    const { client, resolver, pod } = await scene.all((socket) => void socket.write(OK), { clock, settings });
    const clients = [client, await scene.client(resolver), await scene.client(resolver)];
    const askAll = async () => {
      for (const one of clients) one.send(GET);
      for (const one of clients) await one.until(/ok$/);
      for (const one of clients) one.text = '';
    };

    await askAll();
    await askAll();
    const used = pod.connections.length;
    await clock.advance(900);
    const kept = resolver.forwarder.pools.idleConnections;
    await clock.advance(200);

    expect(used).toBeLessThanOrEqual(3);
    expect([kept, resolver.forwarder.pools.idleConnections]).toEqual([used, 1]);
  });

  it('end a body that does not come', async () => {
    const { client, gate, pod } = await scene.all(() => undefined, { settings: { stalledClientMs: 60 } });

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 6\r\n\r\nabc');
    await client.until(({ ended }) => ended);

    expect(client.text).toMatch(/^HTTP\/1\.1 408 [^]*Connection: close[^]*shop\/web:80: the request body did not arrive in time\n$/);
    expect(gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'done' }]);
    await until('the pod to be left', () => pod.connections[0]?.readableEnded === true || pod.connections[0]?.destroyed === true);
  });

  it('leave a body alone that comes slowly, a pod that takes its time, and one that is held', async () => {
    const clock = new FakeClock();
    const slow = { clock, settings: { tickMs: 250, stalledClientMs: 60_000 } };
    const { client, pod, resolver } = await scene.all(() => undefined, slow);
    const sleeping = await scene.resolver(slow);
    const held = await scene.client(sleeping);
    held.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 6\r\n\r\nabc');

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 20\r\n\r\n');
    for (let sent = 1; sent <= 20; sent++) {
      client.send('a');
      await until('the piece at the pod', () => pod.received.endsWith(`\r\n\r\n${'a'.repeat(sent)}`));
      await clock.advance(59_000);
    }
    await clock.advance(600_000);
    pod.connections[0]?.write(OK);

    await client.until(/ok$/);
    expect([resolver.tally.statuses, held.text, sleeping.gate.waiting.length]).toEqual([[200], '', 1]);
  });

  it('end an answer that the client does not read', async () => {
    const size = 64 * 1024 * 1024;
    const { client, resolver, gate } = await scene.all(
      (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`);
        socket.write(Buffer.alloc(size));
      },
      { settings: { stalledClientMs: 100 } },
    );
    client.socket.pause();

    client.send(GET);

    await until('the exchange to be over', () => resolver.tally.statuses.length === 1);
    expect([resolver.forwarder.openConnections, gate.openLeases]).toEqual([0, 0]);
  });

  it('end a body that the pod does not take, also when its client has left in the meantime', async () => {
    const clock = new FakeClock();
    const { client, resolver, gate, pod } = await scene.all((socket) => void socket.pause(), { clock, settings: { tickMs: 250 } });
    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 67108864\r\n\r\n');
    await settled(client.pump(Buffer.alloc(1024 * 1024), 64));

    client.socket.destroy();
    await until('the body to stand still', () => pod.connections.length === 1);
    await clock.advance(601_000);

    await until('the exchange to be over', () => resolver.forwarder.openConnections === 0);
    expect(gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'broken' }]);
    expect(resolver.tally.statuses).toEqual([504]);
  });

  it('are none for the answer of a pod: how long that may take is for the client to say', async () => {
    const clock = new FakeClock();
    const { client, pod } = await scene.all(() => undefined, { clock, settings: { tickMs: 250 } });
    client.send(GET);
    await until('the request at the pod', () => pod.received.length > 0);

    await clock.advance(3_600_000);
    pod.connections[0]?.write(OK);

    await expect(client.until(/ok$/)).resolves.toBe(OK);
  });
});

describe('connections that nobody uses', () => {
  const isProbed = (row: string): boolean => row.split(/ +/)[5]?.startsWith('02:') === true;

  /** The kernel's own table says which timer a socket has; 02 is keep-alive. */
  (process.platform === 'linux' ? it : it.skip)(
    'are probed by the kernel on both sides, so that one whose other end is gone is seen',
    async () => {
      const { client, resolver, pod } = await scene.all();
      await client.send(GET).until(/ok$/);

      const hex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
      const rows = (await readFile('/proc/net/tcp', 'latin1')).split('\n').map((row) => row.trim());
      const accepted = rows.filter((row) => row.split(' ')[1]?.endsWith(hex(resolver.port)) && row.split(' ')[3] === '01');
      const dialled = rows.filter((row) => row.split(' ')[2]?.endsWith(hex(pod.port)) && row.split(' ')[3] === '01');

      expect([accepted.map(isProbed), dialled.map(isProbed)]).toEqual([[true], [true]]);
    },
  );

  it('are not used for a pod of the same name at another address', async () => {
    const { client, resolver, pod } = await scene.all();
    const moved = await scene.pod((socket) => void socket.write(OK), 'pod-a', { host: '127.0.0.2', port: pod.port });
    await client.send(GET).until(/ok$/);

    resolver.gate.ready(moved);
    await client.send(GET).until(/ok[^]+ok$/);

    expect([pod.connections.length, moved.connections.length]).toEqual([1, 1]);
  });
});

describe('a pod that has left', () => {
  it('is connected to no longer, and what is under way goes on', async () => {
    const { client, resolver, pod } = await scene.all((socket, text) => {
      if (!text.includes('/slow')) socket.write(OK);
    });
    const slow = await scene.client(resolver);
    slow.send(GET.replace('/', '/slow'));
    await client.send(GET).until(/ok$/);
    await until('both requests', () => pod.connections.length === 2);

    resolver.forwarder.closePod('pod-a');
    expect(resolver.forwarder.pools.idleConnections).toBe(0);
    for (const socket of pod.connections) if (!socket.destroyed && socket.writable) socket.write(OK);

    await slow.until(/ok$/);
    await until('its connection to be closed too', () => pod.connections.every(({ readableEnded }) => readableEnded));
  });
});
