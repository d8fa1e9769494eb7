import { ProtocolByFirstBytes } from './protocol-by-first-bytes';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

function sniff(text: string): string | undefined {
  const bytes = Buffer.from(text, 'latin1');
  return new ProtocolByFirstBytes().sniff(bytes, bytes.length);
}

describe('ProtocolByFirstBytes', () => {
  it.each([
    'GET / HTTP/1.1\r\n',
    'GET ',
    'PURGE /',
    'OPTIONS *',
    'FOO http://web/',
    'CONNECT web:80',
    'PRI / HTTP/1.1',
    '\r\nGET /',
    'GET  /',
  ])('takes %j for HTTP/1', (text) => {
    expect(sniff(text)).toBe('http1');
  });

  it('takes the whole preface for HTTP/2, and no part of it', () => {
    expect(sniff(PREFACE)).toBe('h2');
    expect(sniff(`${PREFACE}\0\0`)).toBe('h2');
    for (let length = 1; length < PREFACE.length; length++) expect(sniff(PREFACE.slice(0, length))).toBeUndefined();
  });

  it.each([
    ['a TLS hello', '\x16\x03\x01\x02\x00\x01'],
    ['its first byte', '\x16'],
    ['Redis', '*1\r\n$4\r\nPING\r\n'],
    ['PostgreSQL', '\0\0\0\x08\x04\xd2\x16\x2f'],
    ['memcached', 'get key\r\n'],
    ['a word without end', 'A'.repeat(40)],
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

  it.each(['', 'G', 'GET', 'FOO ', '\r\n', 'PRI'])('waits for more after %j', (text) => {
    expect(sniff(text)).toBeUndefined();
  });
});
