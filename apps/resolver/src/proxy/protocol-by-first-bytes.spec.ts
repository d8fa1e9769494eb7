import { ProtocolByFirstBytes } from './protocol-by-first-bytes';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

function sniff(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return new ProtocolByFirstBytes().sniff(bytes, bytes.length);
}

function sniffPaused(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return new ProtocolByFirstBytes().sniffPaused(bytes, bytes.length);
}

describe('ProtocolByFirstBytes', () => {
  it.each([
    'GET / HTTP/1.1\r\n',
    'GET /',
    'PURGE /',
    'X-MINE /',
    'OPTIONS *',
    'FOO http://web/',
    'GET HTTPS://web',
    'CONNECT web:80',
    'PRI / HTTP/1.1',
    '\r\nGET /',
  ])('takes %j for HTTP/1', (text) => {
    expect(sniff(text)).toBe('http1');
  });

  it.each([
    'GET foo HTTP/1.1\r\n',
    'GET  / HTTP/1.1\r\n',
    'GET \t/ HTTP/1.1 \n',
    'GET hello http/1.1\r\n',
    'GET \r\n',
    'GET /\r\n',
    'FOO bar HTTP/1.1\r\n',
  ])('takes %j for HTTP/1, which refuses it', (text) => {
    expect(sniff(text)).toBe('http1');
  });

  it('takes the whole preface for HTTP/2, and no part of it', () => {
    expect(sniff(PREFACE)).toBe('h2');
    expect(sniff(`${PREFACE}\0\0`)).toBe('h2');
    for (let length = 1; length < PREFACE.length; length++) {
      expect([sniff(PREFACE.slice(0, length)), sniffPaused(PREFACE.slice(0, length))]).toEqual([undefined, undefined]);
    }
  });

  it.each([
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01'],
    ['its first byte', '\x16'],
    ['Redis', '*1\r\n$4\r\nPING\r\n'],
    ['Redis in one line', 'GET key\r\n'],
    ['Redis without a key', 'PING\r\n'],
    ['PostgreSQL', '\0\0\0\x08\x04\xd2\x16\x2f'],
    ['memcached', 'get key\r\n'],
    ['memcached, cut off', 'get hel'],
    ['memcached with a key like a scheme', 'set http:page 0 0 3\r\nabc\r\n'],
    ['memcached with a key like a path', 'get /users/1\r\n'],
    ['a word without end', 'A'.repeat(40)],
    ['a line without end', `GET ${'a'.repeat(1_100)}`],
  ])('takes %s for raw bytes', (_name, text) => {
    expect(sniff(text)).toBe('raw');
  });

  it.each(['\r\n', '\r', '\n'])(
    'waits for no more than a few empty lines: beyond 64 bytes of %j they are HTTP/1, which drops them',
    (line) => {
      expect(sniff(line.repeat(64 / line.length))).toBeUndefined();
      expect(sniff(line.repeat(65))).toBe('http1');
      expect(sniff(`${line.repeat(65)}GET`)).toBe('http1');
    },
  );

  it.each(['G', 'GET', 'GET ', 'GET h', 'POST HTTP:/', 'MKCO', '\r\nGET', 'P', 'PRI'])('waits for more after %j', (text) => {
    expect([sniff(text), sniffPaused(text)]).toEqual([undefined, undefined]);
  });

  it.each(['PING', 'get', 'get ', 'get h', 'GET key', 'FOO ', '\r\n', '\r\nhello'])(
    'waits for more after %j, and takes it for raw bytes when nothing comes',
    (text) => {
      expect([sniff(text), sniffPaused(text)]).toEqual([undefined, 'raw']);
    },
  );

  it('looks only at what was read, not at what else is in its memory', () => {
    const bytes = Buffer.from('GET / HTTP/1.1\r\n');

    expect(new ProtocolByFirstBytes().sniff(bytes, 4)).toBeUndefined();
  });
});
