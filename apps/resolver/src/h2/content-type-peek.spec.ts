import { acceptsEvents, announcesEvents } from './content-type-peek';
import { FLAG, FRAME, frameHead, writeHeaderBlock } from './frame';
import { writeLiteral } from './header-field';

function announces(fields: Record<string, string>, frame = (block: string) => writeHeaderBlock(1, block, 'goes on')): boolean {
  const block = Object.entries(fields).map(([name, value]) => writeLiteral(name, value));
  const bytes = Buffer.from(frame(block.join('')), 'latin1');
  return announcesEvents(bytes[4] ?? 0, bytes, 0, bytes.length);
}

describe('announcesEvents', () => {
  const events = { ':status': '200', 'content-type': 'Text/event-stream; charset=utf-8' };

  it('knows a stream of events by its type', () => {
    expect(announces(events)).toBe(true);
    expect(announces({ ':status': '200', 'content-type': 'text/plain' })).toBe(false);
    expect(announces({ ':status': '200' })).toBe(false);
  });

  it('finds it behind padding', () => {
    const padded = (block: string): string =>
      `${frameHead(block.length + 4, FRAME.headers, FLAG.endHeaders | FLAG.padded, 1)}\x03${block}\0\0\0`;

    expect(announces(events, padded)).toBe(true);
  });

  it('takes a head that is not whole, or makes no sense, for another', () => {
    expect(announces(events, (block) => frameHead(block.length, FRAME.headers, 0, 1) + block)).toBe(false);
    expect(announces({}, () => `${frameHead(1, FRAME.headers, FLAG.endHeaders, 1)}\xff`)).toBe(false);
  });
});

describe('acceptsEvents', () => {
  it.each([
    ['text/event-stream', true],
    ['application/json, text/event-stream', true],
    ['*/*', false],
    [undefined, false],
  ])('%s: %s', (accept, accepts) => {
    expect(acceptsEvents(accept)).toBe(accepts);
  });
});
