import { LengthFraming, UntilCloseFraming } from './body-framing';
import { ChunkedFraming } from './chunked-framing';
import { ResponseHead } from './response-head';
import { writeResponseHead, writeSwitchHead } from './write-head';

function read(text: string): ResponseHead {
  const head = new ResponseHead();
  expect(head.read(text)).toBeUndefined();
  return head;
}

describe('ResponseHead.read', () => {
  it('reads and writes each of a row of answers as if it were the only one', () => {
    const answers = [
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n',
      'HTTP/1.1 404 No\r\nContent-Length: 1\r\n',
      'HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n',
    ];
    const head = new ResponseHead();
    const written = (each: ResponseHead) => [writeResponseHead(each, 'unsaid'), writeResponseHead(each, 'close'), each.framing('GET')];

    const inARow = answers.map((text) => (head.read(text), written(head)));

    expect(inARow).toEqual(answers.map((text) => written(read(text))));
  });

  it.each([
    ['another protocol', 'ICY 200 OK\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n'],
    ['no status', 'HTTP/1.1 OK\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n'],
    ['a status beyond all classes', 'HTTP/1.1 600 OK\r\n'],
    ['a reason with a bare CR', 'HTTP/1.1 200 O\rK\r\n'],
    ['a folded line', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n'],
    ['length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks in HTTP/1.0', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n'],
  ])('refuses %s', (_name, text) => {
    expect(new ResponseHead().read(text)).toMatchObject({ status: 400 });
  });

  it.each([
    ['a length', 'GET', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n', LengthFraming],
    ['chunks', 'GET', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n', ChunkedFraming],
    ['neither', 'GET', 'HTTP/1.1 200 OK\r\n', UntilCloseFraming],
  ])('frames an answer with %s', (_name, method, text, framing) => {
    expect(read(text).framing(method)).toBeInstanceOf(framing);
  });

  it.each([
    ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n'],
    ['HEAD', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n'],
    ['GET', 'HTTP/1.1 204 No Content\r\n'],
    ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n'],
    ['GET', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n'],
  ])('knows that the answer to %s with %j has no body', (method, text) => {
    expect(read(text).framing(method)).toBeUndefined();
  });

  it('reads how long the pod keeps an idle connection', () => {
    expect(read('HTTP/1.1 200 OK\r\nKeep-Alive: max=9, timeout=5\r\n').fields.keepAliveSeconds).toBe(5);
    expect(read('HTTP/1.1 200 OK\r\n').fields.keepAliveSeconds).toBe(-1);
  });
});

describe('writeResponseHead', () => {
  it('keeps everything but what concerns the connection', () => {
    const head = read(
      'HTTP/1.0 404 Not Here\r\nA: b\r\nConnection: close, x-hop\r\nX-Hop: c\r\nKeep-Alive: timeout=5\r\nSet-Cookie: d\r\n',
    );

    expect(writeResponseHead(head, 'unsaid')).toBe('HTTP/1.1 404 Not Here\r\nA: b\r\nSet-Cookie: d\r\n\r\n');
  });

  it('says what becomes of the connection', () => {
    const head = read('HTTP/1.1 200\r\n');

    expect(writeResponseHead(head, 'close')).toBe('HTTP/1.1 200 \r\nConnection: close\r\n\r\n');
    expect(writeResponseHead(head, 'keep-alive')).toBe('HTTP/1.1 200 \r\nConnection: keep-alive\r\n\r\n');
  });

  it.each([
    ['as it should be', 'Connection: upgrade, x-hop\r\nUpgrade: HTTP/2.0, websocket\r\nX-Hop: c\r\n'],
    ['by a pod that does not name it in Connection', 'Connection: keep-alive\r\nUpgrade: HTTP/2.0\r\nUpgrade: websocket\r\n'],
  ])('tells a client that must upgrade to what, %s', (_name, lines) => {
    const head = read(`HTTP/1.1 426 Upgrade Required\r\nA: b\r\n${lines}`);
    const written = (['unsaid', 'close', 'keep-alive'] as const).map((persistence) => writeResponseHead(head, persistence));

    const first = 'HTTP/1.1 426 Upgrade Required\r\nA: b\r\n';
    const last = '\r\nUpgrade: HTTP/2.0, websocket\r\n\r\n';
    expect(written).toEqual([
      `${first}Connection: Upgrade${last}`,
      `${first}Connection: Upgrade, close${last}`,
      `${first}Connection: Upgrade, keep-alive${last}`,
    ]);
    expect(writeResponseHead(head, 'close', 'C: d\r\n')).toBe(`${first}C: d\r\nConnection: Upgrade, close${last}`);
  });

  it.each(['200 OK', '426 Upgrade Required'])('says nothing of other protocols where none is needed or none is told: %s', (status) => {
    const lines = status.startsWith('200') ? 'Connection: Upgrade\r\nUpgrade: h2c\r\n' : 'Connection: Upgrade\r\n';

    expect(writeResponseHead(read(`HTTP/1.1 ${status}\r\n${lines}`), 'close')).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  });

  it('passes a switch of protocols on', () => {
    const head = read('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n');

    expect(writeSwitchHead(head)).toBe(
      'HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
  });
});
