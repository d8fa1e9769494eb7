import { LineReader, LineTooLongError } from './line-reader';

function linesOf(reader: LineReader): string[] {
  const lines: string[] = [];
  for (let line = reader.next(); line !== undefined; line = reader.next()) lines.push(line);
  return lines;
}

describe('LineReader', () => {
  it('finds the same lines wherever the chunks are cut, also within a character', () => {
    const bytes = Buffer.from('first\nzwölf\n\nlast 🚀\n');

    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = new LineReader(100);
      reader.push(bytes.subarray(0, cut));
      const before = linesOf(reader);
      reader.push(bytes.subarray(cut));

      expect([...before, ...linesOf(reader)]).toEqual(['first', 'zwölf', '', 'last 🚀']);
    }
  });

  it('puts a line together from many chunks', () => {
    const reader = new LineReader(1000);

    for (const character of 'a long line') reader.push(Buffer.from(character));
    const unfinished = reader.next();
    reader.push(Buffer.from('\nnext'));

    expect(unfinished).toBeUndefined();
    expect(linesOf(reader)).toEqual(['a long line']);
    expect(reader.rest()).toBe('next');
  });

  it('counts the bytes that nobody has asked for', () => {
    const reader = new LineReader(100);

    reader.push(Buffer.from('one\ntwo\nth'));
    const before = reader.unreadBytes;
    reader.next();
    const afterOne = reader.unreadBytes;
    linesOf(reader);

    expect([before, afterOne, reader.unreadBytes]).toEqual([10, 6, 0]);
  });

  it('refuses a line beyond its limit before all of it has arrived', () => {
    const reader = new LineReader(8);

    reader.push(Buffer.from('12345'));
    reader.next();
    reader.push(Buffer.from('6789'));

    expect(() => reader.next()).toThrow(LineTooLongError);
  });

  it('refuses a line beyond its limit that arrives in one piece', () => {
    const reader = new LineReader(8);

    reader.push(Buffer.from('123456789\n'));

    expect(() => reader.next()).toThrow(LineTooLongError);
  });
});
