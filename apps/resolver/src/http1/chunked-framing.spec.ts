import { property, assert, array, integer, uint8Array } from 'fast-check';

import { BAD_CHUNKS } from './attack-cases.fixture';
import { BODY_FAULT, BODY_GOES_ON } from './body-framing';
import { ChunkedFraming } from './chunked-framing';

function takeWhole(body: string): number {
  const bytes = Buffer.from(body, 'latin1');
  return new ChunkedFraming().take(bytes, 0, bytes.length);
}

describe('ChunkedFraming', () => {
  it.each([
    ['no chunk', '0\r\n\r\n'],
    ['chunks', '3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n'],
    ['sizes in both cases, with zeros before them', '00a\r\n0123456789\r\n0B\r\n0123456789a\r\n000\r\n\r\n'],
    ['an extension', '3;a=b;c="d"\r\nabc\r\n0;e\r\n\r\n'],
    ['trailers', '3\r\nabc\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\n'],
  ])('finds the end of a body with %s', (_name, body) => {
    expect(takeWhole(body)).toBe(body.length);
    expect(takeWhole(`${body}GET / HTTP/1.1`)).toBe(body.length);
  });

  it.each(BAD_CHUNKS)('refuses a body with %s', (_name, body) => {
    expect(takeWhole(body)).toBe(BODY_FAULT);
  });

  it.each(BAD_CHUNKS)('refuses a body with %s that comes byte by byte', (_name, body) => {
    const framing = new ChunkedFraming();
    const bytes = Buffer.from(body, 'latin1');
    const outcomes = Array.from(bytes, (_, at) => framing.take(bytes, at, at + 1));

    expect(outcomes.find((outcome) => outcome !== BODY_GOES_ON)).toBe(BODY_FAULT);
  });

  it('finds the same end wherever the bytes are cut', () => {
    const chunks = array(uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 });
    assert(
      property(chunks, array(integer({ min: 1, max: 30 }), { minLength: 1 }), (parts, cuts) => {
        const framed = parts.map((part) => Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]));
        const body = Buffer.concat([...framed, Buffer.from('0\r\nX: y\r\n\r\n')]);
        const bytes = Buffer.concat([body, Buffer.from('next')]);
        const framing = new ChunkedFraming();
        let end = BODY_GOES_ON;
        for (let at = 0, i = 0; at < bytes.length && end === BODY_GOES_ON; i++) {
          const to = Math.min(bytes.length, at + (cuts[i % cuts.length] ?? 1));
          end = framing.take(bytes, at, to);
          at = to;
        }
        expect(end).toBe(body.length);
      }),
    );
  });

  it('tells whether the body surely fits, once its end is there, and goes on as if nobody had asked', () => {
    const framing = new ChunkedFraming();
    const body = Buffer.from('3\r\nabc\r\n0\r\n\r\nnext');
    const begun = framing.isWithin(100, body.subarray(0, 10));

    expect([begun, framing.isWithin(100, body), framing.isWithin(5, body)]).toEqual([false, true, false]);
    expect(framing.take(body, 0, body.length)).toBe(body.length - 4);
  });
});
