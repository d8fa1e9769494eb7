import { type Arbitrary, array, assert, asyncProperty, constantFrom, integer, nat, oneof, record, string, tuple } from 'fast-check';
import { readThrough, StrictNode } from './resolver-http1-fuzz.fixture';
import { Scene } from './resolver-http1.fixture';

const scene = new Scene();
const node = new StrictNode();
beforeAll(() => node.start());
afterEach(() => scene.stop());
afterAll(() => node.stop());

/** The last request of every text is good and closes; others stand before it, so that a body which grew by a few digits ends within them. */
const last = `${'GET /filling HTTP/1.1\r\nHost: web\r\n\r\n'.repeat(10)}GET /last HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n`;
/** Always the same run: what it finds today it finds tomorrow. */
const seed = 20_260_101;

const goodFields = constantFrom(
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'X: y\r\n',
  'X-Long: a, b; c="d\\"e"\r\n',
  'Host: web\r\n',
  'Content-Length: 0\r\n',
  'Connection: keep-alive\r\n',
);
const badFields = constantFrom(
  'Content-Length : 5\r\n',
  'Content-Length: 5, 5\r\n',
  'Content-Length:5\n',
  'Content-Length: +5\r\n',
  'Transfer-Encoding: identity\r\n',
  'Transfer-Encoding: chunked, chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Transfer-Encoding:\r\n chunked\r\n',
  'Transfer-Encoding: \tchunked \r\n',
  'transfer-encoding: CHUNKED\r\n',
  'X: a\rb\r\n',
  'X: a\0\r\n',
  ' X: y\r\n',
  'X\r\n',
  ': y\r\n',
);
const marks = string({ unit: constantFrom('a', ':', ' ', '\t', '\r', '\n', '\0', '\x7f', '\xff', ',', '5'), maxLength: 8 });
const fields = oneof(
  { weight: 6, arbitrary: goodFields },
  { weight: 3, arbitrary: badFields },
  { weight: 1, arbitrary: marks.map((text) => `X: ${text}\r\n`) },
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
const firstLines = oneof(
  { weight: 3, arbitrary: constantFrom('POST /a HTTP/1.1\r\n', 'GET /a?b=c HTTP/1.1\r\n', '\r\nPOST /a HTTP/1.1\r\n') },
  { weight: 1, arbitrary: constantFrom('POST /a HTTP/1.1\n', 'POST  /a HTTP/1.1\r\n', 'POST /a HTTP/1.2\r\n', 'POST /a b HTTP/1.1\r\n') },
);
const assembled: Arbitrary<string> = tuple(firstLines, array(fields, { maxLength: 4 }), bodies).map(
  ([first, lines, body]) => `${first}Host: web\r\n${lines.join('')}\r\n${body}`,
);

const goodRequests = constantFrom(
  'GET /a?b=c HTTP/1.1\r\nHost: web\r\nX: y\r\n\r\n',
  'POST /a HTTP/1.1\r\nHost: web\r\nContent-Length: 5\r\n\r\nabcde',
  'POST /a HTTP/1.1\r\nHost: web\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n',
  'POST /a HTTP/1.1\r\nHost: web\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n5;x=y\r\nabcde\r\na\r\n0123456789\r\n0\r\nT: u\r\n\r\n',
  'PUT /a HTTP/1.1\r\nhost:web\r\ncontent-length: 0\r\naccept: */*;q=0.1\r\n\r\n',
);
const edits = array(
  record({
    at: nat(400),
    removed: integer({ min: 0, max: 2 }),
    added: oneof(constantFrom('', '\r', '\n', '\r\n', ' ', '\t', ':', '\0', '0', '5', 'f', ',', ';', '\x80'), string({ maxLength: 1 })),
  }),
  { minLength: 1, maxLength: 2 },
);
const damaged: Arbitrary<string> = tuple(goodRequests, edits).map(([request, changes]) =>
  changes.reduce<string>((text, { at, removed, added }) => {
    const index = at % text.length;
    return text.slice(0, index) + added + text.slice(index + removed);
  }, request),
);

/** One piece mostly, else two. */
const cuts = oneof({ weight: 2, arbitrary: constantFrom(0) }, { weight: 1, arbitrary: integer({ min: 1, max: 200 }) });

describe("our reading and that of Node's strict parser", () => {
  it.each([
    ['requests put together from good and bad parts', assembled],
    ['good requests with a byte or two changed', damaged],
  ])(
    'agree on all that we let through: %s',
    async (_name, requests) => {
      const resolver = await scene.resolver();
      resolver.gate.ready({ podKey: 'node', port: node.port });
      const tally = { letThrough: 0, refused: 0 };

      await assert(
        asyncProperty(requests, cuts, async (request, cut) => {
          const text = request + last;
          const pieces = cut === 0 ? [text] : [text.slice(0, cut), text.slice(cut)];
          const ours = await readThrough(resolver.port, pieces);
          const nodes = await node.read(pieces);
          if (ours.requests.some((one) => one.includes('/a'))) tally.letThrough++;
          if (ours.verdict === 'refused') tally.refused++;

          if (nodes.verdict === 'beyond a proxy') {
            expect(ours.requests.slice(0, nodes.requests.length)).toEqual(nodes.requests.slice(0, ours.requests.length));
            return;
          }
          // We may refuse what Node takes, but never see another request, or another body, than it does.
          expect(nodes.requests.slice(0, ours.requests.length)).toEqual(ours.requests);
          if (ours.verdict === 'all read') expect(nodes).toEqual(ours);
          expect(ours.verdict).not.toBe('left to the pod to refuse');
        }),
        { numRuns: 500, seed },
      );

      expect(tally.letThrough).toBeGreaterThan(50);
      expect(tally.refused).toBeGreaterThan(50);
    },
    120_000,
  );

  it('agree on plain requests', async () => {
    const resolver = await scene.resolver();
    resolver.gate.ready({ podKey: 'node', port: node.port });
    const text = `POST /a HTTP/1.1\r\nHost: web\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n`;

    const reading = await readThrough(resolver.port, [text]);

    expect(reading).toEqual({
      requests: [
        JSON.stringify(['POST', '/a', ['host: web', 'content-length: 3'], 'abc']),
        JSON.stringify(['GET', '/b', ['host: web'], '']),
      ],
      verdict: 'all read',
    });
    expect(await node.read([text])).toEqual(reading);
  });
});
