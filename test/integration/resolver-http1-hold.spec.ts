import { GateError } from '../../apps/resolver/src/exchange';
import { type Link, Links } from '../../apps/resolver/src/proxy';
import { GET, OK, Scene, settled, until, WEB } from './resolver-http1.fixture';
import type { RawClient } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => {
  jest.restoreAllMocks();
  return scene.stop();
});

async function asleep(options?: Parameters<Scene['resolver']>[0]) {
  const resolver = await scene.resolver(options);
  return { resolver, gate: resolver.gate, client: await scene.client(resolver) };
}

/** How many bytes the resolver takes from the next client that connects, wherever it then keeps them. */
function watchReading(): () => number {
  const accepted = jest.spyOn(Links.prototype, 'accept');
  return () => (accepted.mock.results[0]?.value as Link | undefined)?.bytesRead ?? 0;
}

const isHeld = (gate: { waiting: unknown[] }): Promise<void> => until('the request to be held', () => gate.waiting.length === 1);

describe('a held request', () => {
  it('goes on the moment a pod is ready', async () => {
    const { client, gate } = await asleep();
    const pod = await scene.pod();

    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 6\r\n\r\nabc');
    await isHeld(gate);
    expect(client.text).toBe('');
    client.send('def');
    gate.ready(pod);

    await expect(client.until(/ok$/)).resolves.toBe(OK);
    await until('the whole body', () => pod.received.endsWith('\r\n\r\nabcdef'));
  });

  it('keeps its head and at most 64 KiB of its body; the rest waits with the client and comes later', async () => {
    const read = watchReading();
    const { client, gate } = await asleep();
    const piece = Buffer.alloc(64 * 1024, 'a');
    const size = 512 * piece.length;
    let received = 0;
    const pod = await scene.pod((socket, text) => {
      received += text.length - (text.startsWith('POST') ? text.indexOf('\r\n\r\n') + 4 : 0);
      if (received === size) socket.write(OK);
    });

    const head = `POST / HTTP/1.1\r\nHost: web\r\nContent-Length: ${size}\r\n\r\n`;
    client.send(head);
    const taken = client.pump(piece, 512);
    await isHeld(gate);
    // The kernel's buffers take a few megabytes.
    await expect(settled(taken)).resolves.toBeLessThan(256);
    expect(read()).toBeGreaterThan(head.length);
    expect(read() - head.length).toBeLessThanOrEqual(64 * 1024);
    gate.ready(pod);

    await expect(client.until(/ok$/, 10_000)).resolves.toBe(OK);
    expect(received).toBe(size);
  });

  it.each([
    ['all of a small body', 'Content-Length: 1000', 1_000],
    ['no more than 64 KiB of a large one', 'Content-Length: 1000000', 64 * 1024],
    ['64 KiB of one whose length is unknown', 'Transfer-Encoding: chunked', 64 * 1024],
    ['the head alone where there is no body', 'X: y', 0],
  ])('says from the start how much may have to be kept for it: %s', async (_name, field, bodyBytes) => {
    const { client, gate } = await asleep();

    client.send(`POST / HTTP/1.1\r\nHost: web\r\n${field}\r\n\r\n`);
    await isHeld(gate);

    expect(gate.waiting[0]?.request.bytesHeld).toBeGreaterThan(bodyBytes);
    expect(gate.waiting[0]?.request.bytesHeld).toBeLessThan(bodyBytes + 500);
  });

  it.each([
    ['with it', (client: RawClient) => client.send(`${GET}${'a'.repeat(20_000)}`)],
    ['later', (client: RawClient) => client.send(GET)],
  ])('is counted with all that may be kept, once more comes than its own bytes: %s', async (_name, begin) => {
    const { client, gate } = await asleep();
    begin(client);
    await isHeld(gate);

    client.send('a'.repeat(200_000));
    await until('it to be counted', () => (gate.waiting[0]?.request.bytesHeld ?? 0) >= 64 * 1024);

    expect(gate.waiting).toHaveLength(1);
    expect(gate.asked.length).toBeLessThanOrEqual(2);
  });

  it('keeps its turn and its deadline when it is counted anew, and its pipelined successor is served', async () => {
    const { client, gate } = await asleep();
    client.send(GET);
    await isHeld(gate);
    client.send(GET);
    await until('it to be counted', () => gate.asked.length === 2);

    gate.ready(await scene.pod());

    await client.until(/ok[^]+ok$/);
    expect(gate.asked[1]?.waitedMs).toBeGreaterThan(0);
    expect(gate.outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  });

  it.each(['end', 'resetAndDestroy'] as const)('frees its place at once when the client leaves by %s', async (leave) => {
    const { client, gate, resolver } = await asleep();
    client.send(GET);
    await isHeld(gate);

    client.socket[leave]();

    await until('the place to be free', () => gate.waiting.length === 0);
    expect(resolver.tally).toMatchObject({ open: 0, statuses: [undefined] });
  });

  it.each([
    ['a body of 40 KiB', `Content-Length: ${40 * 1024}\r\n\r\n${'a'.repeat(40 * 1024)}`],
    ['the most that is kept', `Content-Length: ${64 * 1024}\r\n\r\n${'a'.repeat(64 * 1024)}`],
    ['50 of 60 KiB', `Content-Length: ${60 * 1024}\r\n\r\n${'a'.repeat(50 * 1024)}`],
    ['40 KiB in chunks', `Transfer-Encoding: chunked\r\n\r\na000\r\n${'a'.repeat(40 * 1024)}\r\n0\r\n\r\n`],
  ])('frees its place at once when the client leaves behind %s', async (_name, rest) => {
    const { client, gate } = await asleep();
    const sent = new Promise<void>((resolve) => {
      client.socket.write(`POST / HTTP/1.1\r\nHost: web\r\n${rest}`, 'latin1', () => resolve());
    });
    await isHeld(gate);
    await sent;

    client.socket.end();

    await until('the place to be free', () => gate.waiting.length === 0);
  });

  it('asks for no pod once its client has left', async () => {
    const { client, gate } = await asleep();
    const pod = await scene.pod();
    client.send(GET);
    await isHeld(gate);

    client.socket.destroy();
    await until('the client to be gone', () => gate.waiting.length === 0);
    gate.ready(pod);

    expect(gate.openLeases).toBe(0);
    expect(pod.connections).toHaveLength(0);
  });

  it('tells, once, when it was held, given a pod, and sent', async () => {
    const { client, gate, resolver } = await asleep();
    const pod = await scene.pod();
    client.send(GET);
    await isHeld(gate);

    gate.ready(pod);
    await client.until(/ok$/);
    await client.send(GET).until(/ok[^]+ok$/);

    const [moments, ...more] = resolver.tally.moments;
    expect(more).toEqual([]);
    expect(moments?.leasedAtMs).toBeGreaterThan(moments?.heldAtMs ?? Infinity);
    expect(moments?.sentAtMs).toBeGreaterThan(moments?.leasedAtMs ?? Infinity);
  });

  it('is not told to go on by us when it expects it', async () => {
    const { client, gate } = await asleep();
    const pod = await scene.pod((socket, text) => void socket.write(text.endsWith('abc') ? OK : 'HTTP/1.1 100 Continue\r\n\r\n'));
    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n');
    await isHeld(gate);
    expect(client.text).toBe('');

    gate.ready(pod);
    await client.until(/100 Continue\r\n\r\n$/);
    client.send('abc');

    await client.until(/ok$/);
  });

  it.each([
    ['queue full', 503, 'Service Unavailable'],
    ['timed out', 504, 'Gateway Timeout'],
    ['not waking', 503, 'Service Unavailable'],
    ['unknown', 404, 'Not Found'],
  ] as const)('is answered when the gate refuses it: %s', async (reason, status, phrase) => {
    const { client, gate, resolver } = await asleep();
    client.send(GET);
    await isHeld(gate);

    gate.waiting.shift()?.reject(new GateError(reason, WEB, 'no pod became ready within 600 s', 5));

    await client.until(
      new RegExp(`^HTTP/1.1 ${status} ${phrase}\r\n[^]*Retry-After: 5\r\n[^]*shop/web:80: ${reason}: no pod became ready within 600 s\n$`),
    );
    expect(resolver.tally.statuses).toEqual([status]);
  });

  it('keeps its connection when it is refused, and takes the next request on it', async () => {
    const { client, gate } = await asleep();
    const pod = await scene.pod();
    client.send(GET + GET);
    await isHeld(gate);

    gate.waiting.shift()?.reject(new GateError('queue full', WEB, '10 requests are held'));
    await client.until(/10 requests are held\n$/);
    await isHeld(gate);
    gate.ready(pod);

    await client.until(/ok$/);
  });

  it('closes when it is refused before its body has come', async () => {
    const { client, gate } = await asleep();
    client.send('POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 1000\r\n\r\nabc');
    await isHeld(gate);

    gate.waiting.shift()?.reject(new GateError('queue full', WEB, '10 requests are held'));
    client.send('more of the body');

    await client.until(({ ended }) => ended);
    expect(client.text).toMatch(/^HTTP\/1\.1 503 [^]*Connection: close[^]*10 requests are held\n$/);
  });
});

describe('a request that is answered instead of held', () => {
  const answerInstead = () => ({ status: 200, text: 'asleep' });

  it('gets the answer without asking the gate', async () => {
    const { client, gate } = await asleep({ policy: { answerInstead } });

    await client.send(GET).until(/^HTTP\/1\.1 200 OK[^]*asleep\n$/);
    await client.send(GET.replace('GET', 'HEAD')).until(/asleep\nHTTP\/1\.1 200 OK[^]*\r\n\r\n$/);

    expect(gate.asked).toEqual([]);
  });

  it('goes to a pod when one is ready', async () => {
    const { client, gate } = await asleep({ policy: { answerInstead } });
    gate.ready(await scene.pod());

    await expect(client.send(GET).until(/ok$/)).resolves.toBe(OK);
  });
});

describe('Server-Timing', () => {
  const asking = (value: string): string => GET.replace('\r\n\r\n', `\r\nX-Elasti-Timing: ${value}\r\n\r\n`);

  it('tells the phases of the cold start to those who ask, beside what the pod says', async () => {
    const { client, gate } = await asleep();
    client.send(asking('1'));
    await isHeld(gate);

    gate.ready(await scene.pod((socket) => void socket.write(OK.replace('OK\r\n', 'OK\r\nServer-Timing: db;dur=3\r\n'))));

    await client.until(/Server-Timing: db;dur=3\r\n[^]*Server-Timing: held;dur=[\d.]+, connect;dur=[\d.]+\r\n\r\nok$/);
    await client.send(asking('1')).until(/ok[^]+Server-Timing: held;dur=0\r\n\r\nok$/);
  });

  it.each([GET, asking('0')])('is not there unasked', async (request) => {
    const { client, gate } = await asleep();
    client.send(request);
    await isHeld(gate);

    gate.ready(await scene.pod());

    await expect(client.until(/ok$/)).resolves.toBe(OK);
  });
});

describe('many held requests', () => {
  it('all go on', async () => {
    const { gate, resolver } = await asleep();
    const pod = await scene.pod();
    const clients = await Promise.all(Array.from({ length: 200 }, () => scene.client(resolver)));
    for (const client of clients) client.send(GET);
    await until('all to be held', () => gate.waiting.length === clients.length);

    gate.ready(pod);

    await Promise.all(clients.map((client) => client.until(/ok$/)));
  });
});
