import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { array, asyncProperty, assert, constantFrom, oneof, string } from 'fast-check';

import { ATTACKS, BAD_CHUNKS } from '../../apps/resolver/src/http1/attack-cases.fixture';
import { GET, OK, RawClient, Scene, settled, until } from './resolver-http1.fixture';

const scene = new Scene();
afterEach(() => scene.stop());

describe('a request with two meanings', () => {
  it.each(ATTACKS)('is refused as the first of a connection: %s', async (_name, status, request) => {
    const { client, pod } = await scene.all(undefined, {
      target: 'by request',
      policy: { targetOf: () => ({ namespace: 'a', service: 'b', port: 1 }) },
    });

    await client.send(`${request}${GET}`).until(({ ended }) => ended);

    expect(client.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*Connection: close`));
    expect(client.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(pod.received).toBe('');
  });

  it('is refused behind a good one, with nothing of it at the pod', async () => {
    const { client, pod } = await scene.all();

    for (const [, status, request] of ATTACKS.slice(0, 3)) {
      const other = await RawClient.connect(client.socket.remotePort ?? 0);
      scene.add({ stop: () => void other.socket.destroy() });
      await other.send(`${GET}${request}${GET}`).until(({ ended }) => ended);
      expect(other.text).toMatch(new RegExp(`^HTTP/1\\.1 200 [^]*okHTTP/1\\.1 ${status} `));
    }

    expect(pod.received.match(/ HTTP\/1\.1\r\n/g)).toHaveLength(3);
  });

  it.each(BAD_CHUNKS)('is refused in its body: %s', async (_name, body) => {
    const { client, pod } = await scene.all(() => undefined);

    client.send(`POST / HTTP/1.1\r\nHost: web\r\nTransfer-Encoding: chunked\r\n\r\n${body}${GET}`);
    await client.until(({ ended }) => ended);

    expect(client.text).toMatch(/^HTTP\/1\.1 400 [^]*the chunked body is malformed\n$/);
    expect(pod.received).not.toContain('GET');
  });

  it('still lets its answer be read by a client that goes on sending', async () => {
    const { client } = await scene.all();

    client.send(`GET / HTTP/1.1\r\nHost: web\r\nBad Name: x\r\n\r\n`);
    for (let i = 0; i < 50; i++) client.send('a'.repeat(10_000));

    await client.until(({ ended }) => ended);
    expect(client.error).toBeUndefined();
    expect(client.text).toMatch(/^HTTP\/1\.1 400 /);
  });
});

/** The requests, with their bodies, that a reader saw whole, and whether it refused what came then. */
interface Reading {
  readonly requests: string[];
  readonly refused: boolean;
}

describe("our reading and that of Node's strict parser", () => {
  const seen = new Map<number, { request: IncomingMessage; body: string }[]>();
  const server = createServer({ insecureHTTPParser: false, requireHostHeader: true }, (request, response) => {
    const record = { request, body: '' };
    const peer = request.socket.remotePort ?? 0;
    seen.set(peer, [...(seen.get(peer) ?? []), record]);
    request.setEncoding('latin1').on('data', (chunk: string) => (record.body += chunk));
    request.on('error', () => undefined);
    request.on('end', () => void response.end(told(record)));
  });
  server.on('clientError', (_error, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'));

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  const told = ({ request, body }: { request: IncomingMessage; body: string }): string =>
    `${request.method ?? ''} ${request.url ?? ''} ${body}`;
  const nodesPort = (): number => (server.address() as AddressInfo).port;

  /** The last request of `text` is good and closes, so every reader comes to an end. */
  async function answersTo(port: number, text: string): Promise<{ answers: string[]; from: number }> {
    const client = await RawClient.connect(port);
    const from = client.socket.localPort ?? 0;
    await client.send(text).until(({ ended, closed }) => ended || closed);
    client.socket.destroy();
    return { answers: client.text.split(/(?=HTTP\/1\.1 \d{3} )/), from };
  }

  const isRefusal = (answer: string): boolean => answer.startsWith('HTTP/1.1 4');

  /** Through us a request is answered before the next is read, so the answers tell what was seen. */
  async function ourReading(port: number, text: string): Promise<Reading> {
    const { answers } = await answersTo(port, text);
    const bodies = answers.filter((answer) => answer.startsWith('HTTP/1.1 200')).map((answer) => /\r\n\r\n([^]*)$/.exec(answer)?.[1] ?? '');
    return { requests: bodies, refused: answers.some(isRefusal) };
  }

  async function nodesReading(text: string): Promise<Reading> {
    const { answers, from } = await answersTo(nodesPort(), text);
    const records = seen.get(from) ?? [];
    seen.delete(from);
    return { requests: records.filter(({ request }) => request.complete).map(told), refused: answers.some(isRefusal) };
  }

  const pieces = oneof(
    {
      weight: 6,
      arbitrary: constantFrom(
        'Content-Length: 5\r\n',
        'Transfer-Encoding: chunked\r\n',
        'X: y\r\n',
        'Host: web\r\n',
        'Content-Length: 0\r\n',
      ),
    },
    {
      weight: 3,
      arbitrary: constantFrom(
        'Content-Length : 5\r\n',
        'Content-Length: 5, 5\r\n',
        'Content-Length:5\n',
        'Transfer-Encoding: identity\r\n',
        'Transfer-Encoding: chunked, chunked\r\n',
        'Transfer-Encoding:\r\n chunked\r\n',
        'Transfer-Encoding: \tchunked \r\n',
        'transfer-encoding: CHUNKED\r\n',
        'X: a\rb\r\n',
        'X: a\0\r\n',
        ' X: y\r\n',
        'X\r\n',
        ': y\r\n',
        'Connection: keep-alive\r\n',
      ),
    },
    {
      weight: 1,
      arbitrary: string({ unit: constantFrom('a', ':', ' ', '\t', '\r', '\n', '\0', '\x7f', '\xff', ',', '5'), maxLength: 8 }).map(
        (text) => `X: ${text}\r\n`,
      ),
    },
  );
  const bodies = constantFrom(
    '',
    'abcde',
    '5\r\nabcde\r\n0\r\n\r\n',
    '0\r\n\r\n',
    '5;x\r\nabcde\r\n0\r\nT: u\r\n\r\n',
    '05\r\nabcde\r\n0\r\n\r\n',
    '5\nabcde\r\n0\r\n\r\n',
    '5 \r\nabcde\r\n0\r\n\r\n',
    '0x5\r\nabcde\r\n0\r\n\r\n',
    '5\r\nabcdef\r\n0\r\n\r\n',
  );
  const firsts = constantFrom(
    'POST /a HTTP/1.1\r\n',
    'POST /a HTTP/1.1\r\n',
    'POST /a HTTP/1.1\r\n',
    'GET /a HTTP/1.1\r\n',
    'POST /a HTTP/1.1\n',
    'POST  /a HTTP/1.1\r\n',
    'POST /a HTTP/1.2\r\n',
    'POST /a b HTTP/1.1\r\n',
    '\r\nPOST /a HTTP/1.1\r\n',
  );

  it('agree on every request that we let through', async () => {
    const resolver = await scene.resolver();
    resolver.gate.ready({ podKey: 'node', port: nodesPort() });
    const last = 'GET /last HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n';
    let letThrough = 0;

    await assert(
      asyncProperty(firsts, array(pieces, { maxLength: 4 }), bodies, async (first, fields, body) => {
        const text = `${first}Host: web\r\n${fields.join('')}\r\n${body}${last}`;
        const ours = await ourReading(resolver.port, text);
        const nodes = await nodesReading(text);
        if (ours.requests.length > 0) letThrough++;
        // We may refuse what Node takes, but never see another request, or another body, than it does.
        expect(nodes.requests.slice(0, ours.requests.length)).toEqual(ours.requests);
        if (!ours.refused) expect(nodes).toEqual(ours);
      }),
      { numRuns: 400 },
    );

    expect(letThrough).toBeGreaterThan(20);
  }, 60_000);

  it('agree on plain requests', async () => {
    const resolver = await scene.resolver();
    resolver.gate.ready({ podKey: 'node', port: nodesPort() });
    const text = `POST /a HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n`;

    const reading = await ourReading(resolver.port, text);

    expect(reading).toEqual({ requests: ['POST /a abc', 'GET /b '], refused: false });
    expect(await nodesReading(text)).toEqual(reading);
  });
});

describe('a client that sends without reading', () => {
  it('is stopped before its answers pile up', async () => {
    const body = 'a'.repeat(8 * 1024);
    const { client, resolver } = await scene.all((socket) => void socket.write(OK.replace('2\r\n\r\nok', `${body.length}\r\n\r\n${body}`)));
    client.socket.pause();

    for (let i = 0; i < 5_000; i++) client.send(GET);
    await expect(settled(() => resolver.tally.statuses.length)).resolves.toBeLessThan(2_500);
    client.socket.resume();

    await until('all answers', () => resolver.tally.statuses.length === 5_000, 30_000);
  }, 40_000);
});
