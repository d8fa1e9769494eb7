import { ATTACKS } from './attack-cases.fixture';
import { HeadBuffer } from './head-buffer';
import { FAULTS } from './fault';
import { RequestHead } from './request-head';
import { RequestWriter } from './write-head';

const passage = { clientAddress: '10.1.2.3', hop: 'shop/web:80' };

function read(fields: string, first = 'GET / HTTP/1.1'): RequestHead {
  const head = new RequestHead();
  expect(head.read(`${first}\r\n${fields}`)).toBeUndefined();
  return head;
}

function forwarded(fields: string, first?: string): string[] {
  return new RequestWriter().write(read(`Host: web\r\n${fields}`, first), passage).split('\r\n');
}

function statusOf(request: string): number | undefined {
  const heads = new HeadBuffer();
  const bytes = Buffer.from(request, 'latin1');
  const search = heads.search(bytes, 0, bytes.length);
  if (search === 'too large') return FAULTS.headTooLarge.status;
  if (search === 'bare line feed' || search === 'bare carriage return') return FAULTS.bareLineEnd.status;
  return search === 'found' ? new RequestHead().read(heads.text)?.status : undefined;
}

describe('RequestHead.read', () => {
  it.each(ATTACKS)('refuses %s with %i', (_name, status, request) => {
    expect(statusOf(request)).toBe(status);
  });

  it.each([
    ['a plain request', 'GET / HTTP/1.1\r\nHost: web\r\n\r\n'],
    ['no value', 'GET / HTTP/1.1\r\nHost: web\r\nX:\r\n\r\n'],
    ['blanks around a value', 'GET / HTTP/1.1\r\nHost: \t web \t\r\n\r\n'],
    ['bytes beyond ASCII', 'GET /\xfc HTTP/1.1\r\nHost: web\r\nX: \xfc\r\n\r\n'],
    ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n'],
    ['an IPv6 Host', 'GET / HTTP/1.1\r\nHost: [fd00::1]:80\r\n\r\n'],
    ['HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n'],
    ['a method of its own', 'PROPFIND / HTTP/1.1\r\nHost: web\r\n\r\n'],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: web\r\n\r\n'],
    ['empty lines before it', '\r\n\r\nGET / HTTP/1.1\r\nHost: web\r\n\r\n'],
    ['an absolute target', 'GET http://WEB/a HTTP/1.1\r\nHost: web\r\n\r\n'],
    ['CHUNKED', 'POST / HTTP/1.1\r\nHost: web\r\nTransfer-Encoding: CHUNKED\r\n\r\n'],
  ])('takes %s', (_name, request) => {
    expect(statusOf(request)).toBeUndefined();
  });

  it('forgets the head before', () => {
    const head = new RequestHead();
    head.read(
      'POST /a HTTP/1.0\r\nHost: web\r\nContent-Length: 3\r\nConnection: close, upgrade, x\r\nUpgrade: a\r\nExpect: 100-continue\r\n' +
        'X-Forwarded-For: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: b\r\nX-Elasti-Via: c\r\nHTTP2-Settings: d\r\n',
    );

    head.read('GET /b HTTP/1.1\r\nHost: api\r\n');

    const fresh = new RequestHead();
    fresh.read('GET /b HTTP/1.1\r\nHost: api\r\n');
    fresh.fields.version = head.fields.version;
    fresh.version = head.version;
    expect(head).toEqual(fresh);
  });

  it('keeps a connection alive as its version and its Connection header say', () => {
    expect(read('Host: web\r\n').keepsAlive).toBe(true);
    expect(read('Host: web\r\nConnection: close\r\n').keepsAlive).toBe(false);
    expect(read('Host: web\r\nConnection: Keep-Alive, Close\r\n').keepsAlive).toBe(false);
    expect(read('', 'GET / HTTP/1.0').keepsAlive).toBe(false);
    expect(read('Connection: keep-alive\r\n', 'GET / HTTP/1.0').keepsAlive).toBe(true);
  });

  it('finds a header whatever its case', () => {
    const head = read('Host: web\r\nX-Envoy: one\r\nX-ENVOY-Decorator-Operation:  web.shop \r\n');

    expect(head.header('x-envoy-decorator-operation')).toBe('web.shop');
    expect(head.header('x-none')).toBeUndefined();
  });

  it('joins the values of a header that is there several times, as Gateway API has them matched', () => {
    const head = read('Host: web\r\nX-Probe: a\r\nX-Other: b\r\nx-probe:\tc \r\nX-Empty:\r\n');

    expect([head.header('x-probe'), head.header('x-empty')]).toEqual(['a, c', '']);
  });
});

describe('RequestWriter', () => {
  it('writes each of a row of requests as if it were the only one', () => {
    const requests: [string, string][] = [
      ['GET /a HTTP/1.1', 'Host: web\r\nCookie: a\r\n'],
      ['GET /a HTTP/1.1', 'Host: web\r\nCookie: a\r\n'],
      ['GET /b HTTP/1.1', 'Host: web\r\nCookie: a\r\n'],
      ['GET /b HTTP/1.0', 'Host: web\r\nCookie: a\r\n'],
      ['POST /b HTTP/1.1', 'Host: web\r\nContent-Length: 1\r\n'],
      ['POST /b HTTP/1.1', 'Host: web\r\nContent-Length: 2\r\n'],
      ['GET /a HTTP/1.1', 'Host: web\r\nConnection: Upgrade\r\nUpgrade: ws\r\n'],
      ['GET /a HTTP/1.0', 'Host: web\r\nConnection: Upgrade\r\nUpgrade: ws\r\n'],
    ];
    const [head, writer] = [new RequestHead(), new RequestWriter()];

    const inARow = requests.map(([first, fields]) => (head.read(`${first}\r\n${fields}`), writer.write(head, passage)));

    expect(inARow).toEqual(requests.map(([first, fields]) => new RequestWriter().write(read(fields, first), passage)));
  });

  it.each(['X-Forwarded-Proto: https', 'X-Forwarded-Host: shop.example.com'])('passes on %s though Connection names it', (field) => {
    const [name] = field.split(':');

    expect(forwarded(`${field}\r\nConnection: ${name}\r\n`)).toContain(field);
  });

  it('writes the same request anew for another service', () => {
    const [head, writer] = [read('Host: web\r\n'), new RequestWriter()];
    const other = { ...passage, hop: 'shop/api:80' };

    const [first, second] = [writer.write(head, passage), writer.write(head, other)];

    expect([first.includes(passage.hop), second.includes('shop/api:80')]).toEqual([true, true]);
  });

  it('reads a good request after a bad one as if that had not been', () => {
    const [head, good] = [new RequestHead(), 'GET /a HTTP/1.1\r\nHost: web\r\n'];
    head.read(good);

    const faults = [head.read('POST /b HTTP/1.1\r\nHost: web\r\nContent-Length: x\r\n')?.status, head.read(good)?.status];

    expect(faults).toEqual([400, undefined]);
    expect([head.method, head.target, head.fields.contentLength]).toEqual(['GET', '/a', -1]);
  });

  it('takes nothing from the request before for one that is bad', () => {
    const head = new RequestHead();
    head.read('GET / HTTP/1.1\r\nHost: web\r\nContent-Length: 1\r\n');
    const bad = 'GET / HTTP/1.1\r\nHost: web\r\nContent-Length: 1\r\nContent-Length: 1\r\n';

    expect([head.read(bad)?.status, head.read(bad)?.status]).toEqual([400, 400]);
  });

  it('says who sent the request and for whom it is passed on', () => {
    expect(forwarded('Accept: a\r\n')).toEqual([
      'GET / HTTP/1.1',
      'Host: web',
      'Accept: a',
      'X-Forwarded-For: 10.1.2.3',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Host: web',
      'X-Elasti-Via: shop/web:80',
      '',
      '',
    ]);
  });

  it("appends to what a proxy before us said, and keeps that proxy's word on protocol and host", () => {
    const lines = forwarded(
      'X-Forwarded-For: 1.1.1.1\r\nx-forwarded-for: 2.2.2.2\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example\r\nX-Elasti-Via: a/b:1\r\n',
    );

    expect(lines.slice(2, -2)).toEqual([
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: shop.example',
      'X-Forwarded-For: 1.1.1.1, 2.2.2.2, 10.1.2.3',
      'X-Elasti-Via: a/b:1, shop/web:80',
    ]);
  });

  it.each([
    'Connection: keep-alive',
    'Keep-Alive: timeout=5',
    'Proxy-Connection: keep-alive',
    'Proxy-Authorization: Basic x',
    'TE: gzip',
    'Upgrade: websocket',
  ])('removes %s', (line) => {
    expect(forwarded(`A: b\r\n${line}\r\nC: d\r\n`).slice(2, 5)).toEqual(['A: b', 'C: d', 'X-Forwarded-For: 10.1.2.3']);
  });

  it('removes the headers that Connection names, in every place', () => {
    const lines = forwarded('X-First: a\r\nKept: b\r\nConnection: x-first, X-LAST\r\nX-Last: c\r\n');

    expect(lines.slice(2, 4)).toEqual(['Kept: b', 'X-Forwarded-For: 10.1.2.3']);
  });

  it('never lets Connection remove what frames or names the request', () => {
    const lines = forwarded('Content-Length: 3\r\nConnection: host, content-length, x-forwarded-for\r\n', 'POST / HTTP/1.1');

    expect(lines).toEqual(expect.arrayContaining(['Host: web', 'Content-Length: 3', 'X-Forwarded-For: 10.1.2.3']));
  });

  it('keeps TE: trailers and the chunked encoding, since trailers pass through', () => {
    const lines = forwarded('TE: trailers\r\nTransfer-Encoding: chunked\r\nTrailer: x\r\n', 'POST / HTTP/1.1');

    expect(lines.slice(2, 5)).toEqual(['TE: trailers', 'Transfer-Encoding: chunked', 'Trailer: x']);
  });

  it('passes an upgrade on', () => {
    expect(forwarded('Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n').slice(-4)).toEqual([
      'Connection: Upgrade',
      'Upgrade: websocket',
      '',
      '',
    ]);
  });

  it('passes an upgrade to h2c on with its settings', () => {
    expect(forwarded('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n').slice(-5)).toEqual([
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
      '',
      '',
    ]);
  });

  it('sends a path where the client sent a whole address', () => {
    expect(forwarded('', 'GET http://web?a=b HTTP/1.1')[0]).toBe('GET /?a=b HTTP/1.1');
  });

  it('stays with HTTP/1.0, which is then never answered in chunks', () => {
    const lines = forwarded('', 'GET / HTTP/1.0');

    expect(lines[0]).toBe('GET / HTTP/1.0');
    expect(lines).toContain('Connection: keep-alive');
  });
});
