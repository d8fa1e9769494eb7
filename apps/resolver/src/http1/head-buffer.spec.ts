import fc from 'fast-check';
import { HeadBuffer } from './head-buffer';
import { PartialHeads } from './partial-heads';

const HEAD = 'GET / HTTP/1.1\r\nHost: web\r\n';

function searchIn(pieces: readonly string[]): { outcome: string; text: string; rest: string } {
  const heads = new HeadBuffer();
  let outcome = 'more';
  let rest = '';
  for (const piece of pieces) {
    const bytes = Buffer.from(piece, 'latin1');
    outcome = heads.search(bytes, 0, bytes.length);
    rest = bytes.toString('latin1', heads.next);
    if (outcome !== 'more') break;
  }
  return { outcome, text: heads.text, rest };
}

describe('HeadBuffer', () => {
  const whole = `${HEAD}\r\nbody\nwith line feeds`;

  it('finds a head that lies in one read, and where the rest begins', () => {
    expect(searchIn([whole])).toEqual({ outcome: 'found', text: HEAD, rest: 'body\nwith line feeds' });
  });

  it.each(Array.from({ length: HEAD.length + 2 }, (_, at) => at))('finds a head that is cut after %i bytes', (at) => {
    const { outcome, text } = searchIn([whole.slice(0, at), whole.slice(at)]);

    expect({ outcome, text }).toEqual({ outcome: 'found', text: HEAD });
  });

  it('finds a head that comes byte by byte behind empty lines', () => {
    const { outcome, text } = searchIn(Array.from(`\r\n\r\n${whole}`, (byte) => byte));

    expect({ outcome, text }).toEqual({ outcome: 'found', text: HEAD });
  });

  it('finds the next head after one that came in pieces', () => {
    const heads = new HeadBuffer();
    const first = Buffer.from(HEAD.slice(0, 5));
    const second = Buffer.from(`${HEAD.slice(5)}\r\n${HEAD}\r\n`);
    heads.search(first, 0, first.length);
    heads.search(second, 0, second.length);

    expect(heads.isPartial).toBe(false);
    expect(heads.search(second, heads.next, second.length)).toBe('found');
    expect(heads.text).toBe(HEAD);
  });

  it('finds a head that is as long as the one before, the same or not', () => {
    const heads = new HeadBuffer();
    const bytes = Buffer.from([HEAD, HEAD, HEAD.replace('web', 'api')].map((head) => `${head}\r\n`).join(''));

    const found = [0, 1, 2].map(() => [heads.search(bytes, heads.next, bytes.length), heads.text]);

    expect(found).toEqual([
      ['found', HEAD],
      ['found', HEAD],
      ['found', HEAD.replace('web', 'api')],
    ]);
    expect(heads.next).toBe(bytes.length);
  });

  it('finds in whatever comes after a head what it would find without that head', () => {
    const piece = fc.constantFrom('\r\n', '\r\n\r\n', '\r', '\n', 'a', 'ab', 'a:b\r\n');
    const bytesOf = (pieces: string[]): Buffer => Buffer.from(pieces.join(''), 'latin1');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(piece, { maxLength: 12 }), (before, after) => {
        const [used, fresh] = [new HeadBuffer(), new HeadBuffer()];
        const [first, bytes] = [bytesOf(['a', ...before, '\r\n\r\n']), bytesOf(after)];
        fc.pre(used.search(first, 0, first.length) === 'found');

        const outcomes = [used, fresh].map((heads) => [heads.search(bytes, 0, bytes.length), heads.isPartial]);

        expect(outcomes[0]).toEqual(outcomes[1]);
        if (outcomes[1]?.[0] === 'found') expect([used.text, used.next]).toEqual([fresh.text, fresh.next]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds in a head of the same length what it would find without the one before', () => {
    const first = 'GET /a HTTP/1.1\r\nA: b\r\nC: d\r\n\r\n';
    const exchange = fc.record({ at: fc.nat(first.length - 1), character: fc.constantFrom('\r', '\n', 'x') });
    fc.assert(
      fc.property(fc.array(exchange, { maxLength: 5 }), (exchanges) => {
        const [used, fresh] = [new HeadBuffer(), new HeadBuffer()];
        const bytes = Buffer.from(first, 'latin1');
        used.search(bytes, 0, bytes.length);
        for (const { at, character } of exchanges) bytes.write(character, at, 'latin1');

        const outcomes = [used, fresh].map((heads) => [heads.search(bytes, 0, bytes.length), heads.isPartial]);

        expect(outcomes[0]).toEqual(outcomes[1]);
        if (outcomes[1]?.[0] === 'found') expect([used.text, used.next]).toEqual([fresh.text, fresh.next]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('refuses a carriage return before a head that no line feed follows, also when it comes alone', () => {
    const heads = new HeadBuffer();
    const [first, rest] = [Buffer.from(`${HEAD}\r\n\r`), Buffer.from(`${HEAD}\r\n`)];
    heads.search(first, 0, first.length);

    const found = [heads.search(first, heads.next, first.length), heads.search(rest, 0, rest.length)];

    expect(found).toEqual(['more', 'bare carriage return']);
  });

  it('takes no older bytes behind the end for new ones', () => {
    const bytes = Buffer.from(`${HEAD}\r\n`);

    expect(new HeadBuffer().search(bytes, 0, bytes.length - 1)).toBe('more');
  });

  it('tells a line feed without its CR before the head ends', () => {
    expect(searchIn(['GET / HTTP/1.1\n']).outcome).toBe('bare line feed');
    expect(searchIn(['GET / HTTP/1.1\r\nA: b\r', '\nC: d', '\n']).outcome).toBe('bare line feed');
  });

  it.each([
    ['in one read', ['GET / HTTP/1.1\r\nA: ' + 'a'.repeat(33 * 1024)]],
    ['in one read, with its end', ['GET / HTTP/1.1\r\nA: ' + 'a'.repeat(33 * 1024) + '\r\n\r\n']],
    ['in many', Array.from({ length: 40 }, () => 'a'.repeat(1024))],
  ])('stops gathering at the limit: %s', (_name, pieces) => {
    expect(searchIn(pieces).outcome).toBe('too large');
  });

  it('takes a head just below the limit in two pieces', () => {
    const large = `${HEAD}A: ${'a'.repeat(32 * 1024 - HEAD.length - 6)}\r\n`;

    expect(searchIn([`${large}\r\n`.slice(0, 20_000), `${large}\r\n`.slice(20_000)]).text).toBe(large);
  });
});

describe('HeadBuffer, of the memory for unfinished heads', () => {
  const KIB = 1024;

  function setup(limitBytes?: number) {
    const memory = new PartialHeads(limitBytes);
    const heads = new HeadBuffer(memory);
    const search = (text: string) => heads.search(Buffer.from(text, 'latin1'), 0, text.length);
    return { memory, heads, search };
  }

  it('takes what a head in pieces needs, and never more than the largest head does', () => {
    const { memory, search } = setup();

    const taken = [search(HEAD), memory.bytes, search(`A: ${'a'.repeat(31 * KIB)}`), memory.bytes];

    expect(taken).toEqual(['more', 512, 'more', 32 * KIB + 4]);
  });

  it('takes nothing for heads that come whole', () => {
    const { memory, search } = setup(0);

    expect([search(`${HEAD}\r\n`), search(`${HEAD}\r\n`), memory.bytes]).toEqual(['found', 'found', 0]);
  });

  it.each([
    ['it is whole', ['\r\n'], 'found'],
    ['it turns out too large', ['a'.repeat(33 * KIB)], 'too large'],
    ['it turns out malformed', ['a\n'], 'bare line feed'],
  ])('gives it all back once %s', (_name, pieces, outcome) => {
    const { memory, search } = setup();
    search(HEAD);

    const outcomes = pieces.map(search);

    expect([outcomes.at(-1), memory.bytes]).toEqual([outcome, 0]);
  });

  it.each([
    ['malformed', 'GET / HTTP/1.1\n', 'bare line feed'],
    ['too large', 'a'.repeat(60 * KIB), 'too large'],
  ])('gives it back at once where the first piece is %s', (_name, piece, outcome) => {
    const { memory, search } = setup();

    expect([search(piece), memory.bytes]).toEqual([outcome, 0]);
  });

  it('gives it all back when it is dropped, once', () => {
    const { memory, heads, search } = setup();
    search(HEAD);

    heads.drop();
    heads.drop();

    expect([memory.bytes, heads.isPartial]).toEqual([0, false]);
  });

  it('tells when there is no room, and keeps nothing then', () => {
    const { memory, search, heads } = setup(1.5 * KIB);
    const other = new HeadBuffer(memory);
    other.search(Buffer.from(HEAD), 0, HEAD.length);

    const outcomes = [search(HEAD), search('A: '.padEnd(600, 'a'))];

    expect([outcomes, memory.bytes, heads.isPartial]).toEqual([['more', 'no room'], 512, false]);
  });
});
