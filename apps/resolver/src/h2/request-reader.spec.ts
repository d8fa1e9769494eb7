import { writeLiteral } from './header-field';
import { H2Request } from './h2-request';
import { HpackDecoder } from './hpack-decoder';
import { LargeHead, RequestReader } from './request-reader';

describe('RequestReader', () => {
  type Fields = readonly (readonly [string, string])[];
  const HEAD: Fields = [
    [':method', 'GET'],
    [':scheme', 'http'],
    [':path', '/'],
    [':authority', 'web'],
  ];
  const literals = (fields: Fields): Buffer => Buffer.from(fields.map(([name, value]) => writeLiteral(name, value)).join(''), 'latin1');

  function read(fields: Fields, reader = new RequestReader()): ReturnType<RequestReader['readRequest']> {
    const block = literals(fields);
    return reader.readRequest(block, 0, block.length);
  }

  function written(fields: Fields): string[] {
    const request = read(fields);
    if (!(request instanceof H2Request)) throw new Error('not a request');
    const block = Buffer.from(request.blockFor({ clientAddress: '10.0.0.9', hop: 'shop/web:80' }), 'latin1');
    const lines: string[] = [];
    new HpackDecoder().decode(block, 0, block.length, ({ name, value }) => lines.push(`${name}: ${value}`));
    return lines;
  }

  it('passes a request on with who sent it and for whom', () => {
    expect(written([...HEAD, ['accept', '*/*']])).toEqual([
      ':method: GET',
      ':scheme: http',
      ':path: /',
      ':authority: web',
      'accept: */*',
      'x-forwarded-for: 10.0.0.9',
      'x-forwarded-proto: http',
      'x-forwarded-host: web',
      'x-elasti-via: shop/web:80',
    ]);
  });

  it("appends to what proxies said before, and keeps a front proxy's word on protocol and host", () => {
    const before: Fields = [
      ['x-forwarded-for', '1.1.1.1'],
      ['x-forwarded-for', '2.2.2.2'],
      ['x-forwarded-proto', 'https'],
      ['x-forwarded-host', 'shop.example'],
      ['x-elasti-via', 'shop/front:80'],
    ];

    expect(written([...HEAD, ...before]).slice(4)).toEqual([
      'x-forwarded-proto: https',
      'x-forwarded-host: shop.example',
      'x-forwarded-for: 1.1.1.1, 2.2.2.2, 10.0.0.9',
      'x-elasti-via: shop/front:80, shop/web:80',
    ]);
  });

  it('keeps what is for this proxy alone from the pod', () => {
    expect(written([...HEAD, ['proxy-authorization', 'Basic x']]).join()).not.toMatch(/proxy-authorization/);
  });

  it('keeps secrets out of every table', () => {
    const block = Buffer.concat([literals(HEAD), Buffer.from(writeLiteral('authorization', 's3cret', 'never indexed'), 'latin1')]);
    const request = new RequestReader().readRequest(block, 0, block.length) as H2Request;

    expect(request.blockFor({ clientAddress: 'a', hop: 'b' })).toContain(writeLiteral('authorization', 's3cret', 'never indexed'));
  });

  const without = (name: string): Fields => HEAD.filter(([field]) => field !== name);
  it.each<[string, Fields]>([
    ['a line break in a value', [...HEAD, ['a', 'b\r\nc: d']]],
    ['a NUL in a value', [...HEAD, ['a', 'b\0c']]],
    ['a blank before a value', [...HEAD, ['a', ' b']]],
    ['a line break in a name', [...HEAD, ['a\r\nb', 'c']]],
    ['upper case in a name', [...HEAD, ['Accept', 'b']]],
    ['an empty name', [...HEAD, ['', 'b']]],
    ['a colon in a name', [...HEAD, ['a:b', 'c']]],
    ['Connection', [...HEAD, ['connection', 'close']]],
    ['Transfer-Encoding', [...HEAD, ['transfer-encoding', 'chunked']]],
    ['Upgrade', [...HEAD, ['upgrade', 'h2c']]],
    ['TE beyond trailers', [...HEAD, ['te', 'gzip']]],
    ['no method', without(':method')],
    ['no scheme', without(':scheme')],
    ['no path', without(':path')],
    ['an empty path', [...without(':path'), [':path', '']]],
    ['a blank in the path', [...without(':path'), [':path', '/ HTTP/1.1']]],
    ['a path without its slash', [...without(':path'), [':path', 'x']]],
    ['a path twice', [...HEAD, [':path', '/x']]],
    ['a pseudo-header after the others', [...HEAD.slice(0, 3), ['a', 'b'], [':authority', 'web']]],
    ['an unknown pseudo-header', [...HEAD, [':status', '200']]],
    ['a Host that contradicts the authority', [...HEAD, ['host', 'other']]],
    ['two Hosts', [...without(':authority'), ['host', 'web'], ['host', 'web']]],
    ['user information in the authority', [...without(':authority'), [':authority', 'a@web']]],
    ['two lengths', [...HEAD, ['content-length', '1'], ['content-length', '1']]],
    ['a length that is none', [...HEAD, ['content-length', '+1']]],
    ['CONNECT', [[':method', 'CONNECT'], ...HEAD.slice(1)]],
  ])('refuses %s', (_, fields) => {
    expect(read(fields)).toBe('malformed');
  });

  it('refuses a small block that unfolds to a large head, and can still read the next', () => {
    const reader = new RequestReader();
    const insert = Buffer.concat([Buffer.from('400161', 'hex'), Buffer.from('7fa11c', 'hex'), Buffer.alloc(3_744, 'x')]);
    const bomb = Buffer.concat([literals(HEAD), insert, Buffer.alloc(200, 0xbe)]);

    expect(reader.readRequest(bomb, 0, bomb.length)).toBeInstanceOf(LargeHead);
    expect(read(HEAD, reader)).toBeInstanceOf(H2Request);
  });

  it.each<[string, (many: Fields) => Fields]>([
    ['before', (many) => [...HEAD.slice(1), [':method', 'POST'], ['content-type', 'application/grpc+proto'], ...many]],
    ['behind', (many) => [...HEAD.slice(1), ...many, [':method', 'POST'], ['content-type', 'application/grpc+proto']]],
  ])('knows of a head that is too large how it is to be answered, though that stands %s what is too much', (_, fields) => {
    const many: Fields = Array.from({ length: 300 }, (__, at) => [`x-${at}`, 'v'] as const);

    expect(read(fields(many))).toMatchObject({ method: 'POST', isGrpc: true });
  });

  it('reads the same bytes anew once the table has changed', () => {
    const reader = new RequestReader();
    const path = (value: string): Buffer => Buffer.concat([Buffer.from([0x44, value.length]), Buffer.from(value)]);
    const rest = literals(HEAD.filter(([name]) => name !== ':path'));
    const indexed = Buffer.concat([rest, Buffer.from([0xbe])]);
    const targets: string[] = [];
    const take = (block: Buffer): void => {
      targets.push((reader.readRequest(block, 0, block.length) as H2Request).target);
    };

    [Buffer.concat([rest, path('/a')]), indexed, indexed, Buffer.concat([rest, path('/b')]), indexed].forEach(take);

    expect(targets).toEqual(['/a', '/a', '/a', '/b', '/b']);
  });

  it('reads a head that was seen before only once', () => {
    const reader = new RequestReader();

    expect(read(HEAD, reader)).toBe(read(HEAD, reader));
  });
});
