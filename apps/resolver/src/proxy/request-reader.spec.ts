import { RequestReader } from './request-reader';

const web = { namespace: 'shop', service: 'web', port: 80 };
const link = { remoteAddress: '192.0.2.1' };
const requestWith = (cookieBytes: number) => Buffer.from(`GET /path HTTP/1.1\r\nHost: web\r\nCookie: ${'c'.repeat(cookieBytes)}\r\n\r\n`);

function outgoingOf(reader: RequestReader, bytes: Buffer): string {
  expect(reader.read(bytes, 0, bytes.length)).toBe('whole');
  return reader.outgoing(reader.passageTo(web, link)).head;
}

describe('RequestReader.forgetIfLarge', () => {
  it('keeps nothing of a large head but its method', () => {
    const reader = new RequestReader();
    outgoingOf(reader, requestWith(30_000));

    reader.forgetIfLarge();

    const { method, target, lines, fields } = reader.head;
    expect({ method, target, lines, kept: fields.kept }).toEqual({ method: 'GET', target: '', lines: '', kept: '' });
  });

  it.each([10, 30_000])('makes no difference to the next request, whose cookie has %i bytes', (cookieBytes) => {
    const reader = new RequestReader();
    const first = outgoingOf(reader, requestWith(cookieBytes));
    reader.forgetIfLarge();

    const second = outgoingOf(reader, requestWith(cookieBytes));

    expect(second).toBe(first);
    expect(second).toContain('GET /path HTTP/1.1\r\nHost: web\r\nCookie: ccc');
  });
});
