import type { Socket } from 'node:net';
import { FakeClock } from '@elasti/operator-kit/testing';

import { GET, OK, Scene, until } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => scene.stop());

const POST = 'POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\n\r\nabc';

/** A pod that nobody listens for any more. */
async function gonePod(podKey: string) {
  const pod = await scene.pod(undefined, podKey);
  const { port } = pod;
  await pod.stop();
  return { podKey, port };
}

async function setup(options?: Parameters<Scene['resolver']>[0]) {
  const resolver = await scene.resolver(options);
  return { resolver, gate: resolver.gate, client: await scene.client(resolver) };
}

describe('a pod that refuses the connection', () => {
  it.each([GET, POST])('is passed over, whatever the request', async (request) => {
    const { client, gate, resolver } = await setup();
    const pod = await scene.pod(undefined, 'pod-b');
    gate.ready(await gonePod('pod-a'), pod);

    await expect(client.send(request).until(/ok$/)).resolves.toBe(OK);

    expect(resolver.tally.lostCount).toBe(0);
    expect(gate.asked[0]?.not).toEqual(new Set(['pod-a']));
    expect(gate.outcomes).toEqual([
      { podKey: 'pod-a', outcome: 'refused' },
      { podKey: 'pod-b', outcome: 'done' },
    ]);
    expect(pod.received.endsWith(request.slice(request.indexOf('\r\n\r\n')))).toBe(true);
  });

  it('is tried again when the gate says so and there is no other', async () => {
    const { client, gate } = await setup();
    const gone = await gonePod('pod-a');
    gate.ready(gone);

    client.send(POST);
    for (const refusals of [1, 2]) {
      await until(`refusal ${refusals}`, () => gate.outcomes.length === refusals && gate.waiting.length === 1);
      gate.ready(gone);
    }
    await until('the third refusal', () => gate.outcomes.length === 3 && gate.waiting.length === 1);
    gate.ready(await scene.pod(undefined, 'pod-a'));

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(gate.asked.map(({ not }) => [...(not ?? [])])).toEqual([['pod-a'], ['pod-a'], ['pod-a']]);
    expect(gate.asked.at(-1)?.waitedMs).toBeGreaterThan(0);
  });

  it('leaves nothing behind when the client leaves between two tries', async () => {
    const { client, gate } = await setup();
    gate.ready(await gonePod('pod-a'));
    client.send(GET);
    await until('the refusal', () => gate.outcomes.length === 1 && gate.waiting.length === 1);

    client.socket.destroy();

    await until('the place to be free', () => gate.waiting.length === 0);
  });
});

describe('a kept connection that is lost in the turn in which a request was read for it', () => {
  it.each([
    { how: 'ends it', lose: (socket: Socket) => void socket.end() },
    { how: 'resets it', lose: (socket: Socket) => void socket.resetAndDestroy() },
  ])('sends the request by another when the pod $how, for none of it was sent', async ({ lose }) => {
    const { client, pod, resolver } = await scene.all();
    await client.send(GET).until(/ok$/);
    client.text = '';
    pod.received = '';

    // The kernel has both before the resolver's next turn, in this order.
    client.send(POST);
    for (const socket of pod.connections) lose(socket);

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(pod.received).toMatch(/^POST [^]*\r\n\r\nabc$/);
    expect(resolver.tally.lostCount).toBe(0);
  });

  it('sends what has come of a body by another, and the rest after it', async () => {
    const { client, pod } = await scene.all((socket, text) => {
      if (/ok$|\r\n\r\n$|def$/.test(text)) socket.write(OK);
    });
    await client.send(GET).until(/ok$/);
    client.text = '';
    pod.received = '';

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 6\r\n\r\nabc');
    for (const socket of pod.connections) socket.end();
    await until('the first part', () => pod.received.endsWith('abc'));
    client.send('def');

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(pod.received).toMatch(/^POST [^]*\r\n\r\nabcdef$/);
  });
});

describe('a pod that resets the connection before it answers', () => {
  const resets = (podKey: string) => scene.pod((socket) => void socket.resetAndDestroy(), podKey);

  it('is passed over for a request that may be repeated', async () => {
    const { client, gate } = await setup();
    const put = POST.replace('POST', 'PUT');
    const good = await scene.pod(undefined, 'pod-b');
    gate.ready(await resets('pod-a'), good);

    await expect(client.send(put).until(/ok$/)).resolves.toBe(OK);

    expect(good.received).toMatch(/^PUT [^]*\r\n\r\nabc$/);
    // It took the connection, so nobody else need avoid it.
    expect(gate.outcomes.map(({ outcome }) => outcome)).toEqual(['broken', 'done']);
    expect(gate.asked.map(({ not }) => not)).toEqual([new Set(['pod-a'])]);
  });

  it('is not asked twice to change something: the client hears of it', async () => {
    const { client, gate, resolver } = await setup();
    const other = await scene.pod(undefined, 'pod-b');
    gate.ready(await resets('pod-a'), other);

    await client.send(POST).until(/^HTTP\/1\.1 502 [^]*shop\/web:80: the pod closed the connection before it answered\n$/);

    expect(resolver.tally.lostCount).toBe(1);

    expect(other.received).toBe('');
    expect(gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'broken' }]);
  });

  it('is passed over for a POST that was not yet sent in full', async () => {
    const { client, gate } = await setup();
    const good = await scene.pod((socket, _text, { received }) => {
      if (received.endsWith('abcdef')) socket.write(OK);
    }, 'pod-b');
    gate.ready(await resets('pod-a'), good);

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 6\r\n\r\nabc');
    await until('the first part at the other pod', () => good.received.endsWith('abc'));
    client.send('def');

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    expect(good.received).toMatch(/^POST [^]*\r\n\r\nabcdef$/);
  });

  it('is the end for a body that is larger than what is kept', async () => {
    const { client, gate } = await setup();
    const size = 200 * 1024;
    let received = 0;
    const bad = await scene.pod((socket, text) => {
      received += text.length;
      if (received > 150 * 1024) socket.resetAndDestroy();
    }, 'pod-a');
    const other = await scene.pod(undefined, 'pod-b');
    gate.ready(bad, other);

    client.send(`PUT / HTTP/1.1\r\nHost: web\r\nContent-Length: ${size}\r\n\r\n${'a'.repeat(size)}`);

    await client.until(/^HTTP\/1\.1 502 /);
    expect(other.received).toBe('');
  });

  it('is the end after three in a row', async () => {
    const { client, gate } = await setup();
    gate.ready(await resets('pod-a'), await resets('pod-b'), await resets('pod-c'), await scene.pod(undefined, 'pod-d'));

    await client.send(GET).until(/^HTTP\/1\.1 502 /);

    expect(gate.outcomes.map(({ outcome }) => outcome)).toEqual(['broken', 'broken', 'broken']);
  });
});

describe('a kept connection that its pod closes as a request comes', () => {
  it('costs nothing: the request goes to the same pod on a new one', async () => {
    const { client, pod, gate } = await scene.all((socket, _text, { connections }) => {
      if (socket === connections[0] && socket.bytesWritten > 0) socket.destroy();
      else socket.write(OK);
    });
    await client.send(GET).until(/ok$/);

    client.send(GET);

    await client.until(/ok[^]+ok$/);
    expect(pod.connections).toHaveLength(2);
    expect(gate.outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  });

  it('is not used for a POST after a second of rest', async () => {
    const clock = new FakeClock();
    const { client, pod } = await scene.all(undefined, { clock });
    await client.send(GET).until(/ok$/);
    await clock.advance(1_000);
    await client.send(POST).until(/ok[^]+ok$/);
    expect(pod.connections).toHaveLength(1);

    await clock.advance(1_001);
    await client.send(POST).until(/ok[^]+ok[^]+ok$/);

    expect(pod.connections).toHaveLength(2);
  });
});

describe('an answer that breaks off', () => {
  it.each([
    ['a length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'],
    ['chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    ['no end of its own', 'HTTP/1.1 200 OK\r\n\r\nabc'],
  ])('with %s breaks off for the client too', async (_name, start) => {
    const { client, gate } = await scene.all((socket) => {
      socket.write(start);
      setTimeout(() => socket.resetAndDestroy(), 20);
    });

    await client.send(GET).until(({ closed, ended }) => closed || ended);

    expect(client.error).toMatchObject({ code: 'ECONNRESET' });
    expect(gate.outcomes).toEqual([{ podKey: 'pod-a', outcome: 'broken' }]);
  });

  it('within its head is 502, and is not tried elsewhere', async () => {
    const { client, gate } = await setup();
    const bad = await scene.pod((socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-'), 'pod-a');
    const other = await scene.pod(undefined, 'pod-b');
    gate.ready(bad, other);

    await client.send(GET).until(/^HTTP\/1\.1 502 /);

    expect(other.received).toBe('');
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a bad chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a head without end', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(40_000)}`],
  ])('is 502 when it is not valid: %s', async (_name, answer) => {
    const { client, pod } = await scene.all((socket) => void socket.write(answer));

    await client.send(GET).until(/^HTTP\/1\.1 502 [^]*shop\/web:80: the pod's answer is not valid HTTP\n$/);

    await until('the connection to be closed', () => pod.connections[0]?.readableEnded === true || pod.connections[0]?.destroyed === true);
  });

  it('is followed by nothing that the pod sends unasked', async () => {
    const { client, pod } = await scene.all((socket) => void socket.write(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`));

    await client.send(GET).until(/ok$/);
    await client.send(GET).until(/ok[^]+ok$/);

    expect(client.text).not.toContain('evil');
    expect(pod.connections).toHaveLength(2);
  });
});
