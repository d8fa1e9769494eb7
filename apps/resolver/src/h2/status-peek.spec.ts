import { FLAG } from './frame';
import { statusOf } from './status-peek';

describe('statusOf', () => {
  const peek = (hex: string, flags = 0): number | undefined => {
    const frame = Buffer.concat([Buffer.alloc(9), Buffer.from(hex.replaceAll(' ', ''), 'hex')]);
    return statusOf(flags, frame, 0, frame.length);
  };

  it.each([
    ['a status of the static table', '88', 200],
    ['one that is written out', '08 03 353033', 503],
    ['one that goes to the table', '48 03 343239', 429],
    ['one in Huffman code', '48 82 6402', 302],
    ['one behind two changes of the table', '20 3fe11f 88', 200],
    ['one behind a change of the table', '20 8d', 404],
    ['one behind a long change of the table', '3fe11f 8e', 500],
  ])('knows %s', (_, hex, status) => {
    expect(peek(hex)).toBe(status);
  });

  it('looks behind padding and priority', () => {
    expect(peek('02 00000000 10 89 0000', FLAG.padded | FLAG.priority)).toBe(204);
  });

  it.each([
    ['an interim answer', '08 03 313030'],
    ['a status in the table', 'be'],
    ['one that is cut off', '48 82 64'],
    ['padding in its place', '08 03'],
    ['an empty block', ''],
  ])('does not know %s', (_, hex) => {
    expect(peek(hex)).toBeUndefined();
  });
});
