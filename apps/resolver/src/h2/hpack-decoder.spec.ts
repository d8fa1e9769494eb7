import fc from 'fast-check';

import { HeaderField } from './header-field';
import { HpackDecoder } from './hpack-decoder';

describe('HpackDecoder', () => {
  const blockOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

  function fieldsOf(decoder: HpackDecoder, block: Buffer): string[] | 'not hpack' {
    const fields: string[] = [];
    return decoder.decode(block, 0, block.length, ({ name, value }) => fields.push(`${name}: ${value}`)) ? fields : 'not hpack';
  }

  const first = [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com'];
  const expected = [
    first,
    [...first, 'cache-control: no-cache'],
    [':method: GET', ':scheme: https', ':path: /index.html', ':authority: www.example.com', 'custom-key: custom-value'],
  ];

  it.each([
    [
      'plain (C.3)',
      [
        '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
        '8286 84be 5808 6e6f 2d63 6163 6865',
        '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
      ],
    ],
    [
      'Huffman-coded (C.4)',
      [
        '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
        '8286 84be 5886 a8eb 1064 9cbf',
        '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
      ],
    ],
  ])('reads the %s requests of RFC 7541, which build on each other', (_, blocks) => {
    const decoder = new HpackDecoder();

    expect(blocks.map((block) => fieldsOf(decoder, blockOf(block)))).toEqual(expected);
  });

  it.each([
    ['with indexing', '400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572', 'custom-key: custom-header'],
    ['without indexing', '040c 2f73 616d 706c 652f 7061 7468', ':path: /sample/path'],
    ['never indexed', '1008 7061 7373 776f 7264 0673 6563 7265 74', 'password: secret'],
    ['indexed', '82', ':method: GET'],
  ])('reads a field %s (C.2)', (_, block, field) => {
    expect(fieldsOf(new HpackDecoder(), blockOf(block))).toEqual([field]);
  });

  it('drops the oldest fields when the table becomes too small for them (C.6)', () => {
    const decoder = new HpackDecoder();
    const shrink = '3fe1 01';
    const blocks = [
      `${shrink} 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
      '4883 640e ffc1 c0bf',
    ];

    const read = blocks.map((block) => fieldsOf(decoder, blockOf(block)));

    const rest = ['cache-control: private', 'date: Mon, 21 Oct 2013 20:13:21 GMT', 'location: https://www.example.com'];
    expect(read).toEqual([
      [':status: 302', ...rest],
      [':status: 307', ...rest],
    ]);
    // The 302 had to go for the 307, and the three others are all that is left.
    expect(fieldsOf(decoder, blockOf('c2'))).toBe('not hpack');
  });

  it.each([
    ['an index of no field', 'be'],
    ['the index 0', '80'],
    ['a number without an end', 'ffff ffff ffff ff'],
    ['a string that is longer than the block', '000a 6162'],
    ['a name without a value', '0001 61'],
    ['a table larger than was allowed', '3fe2 1f'],
    ['a change of the table after a field', '8220'],
    ['Huffman code with padding of zeros', '0001 61 81 18'],
    ['Huffman code with a whole byte of padding', '0001 61 82 1f ff'],
    ['Huffman code with the symbol for the end', '0001 61 84 ffff ffff'],
  ])('refuses %s', (_, block) => {
    expect(fieldsOf(new HpackDecoder(), blockOf(block))).toBe('not hpack');
  });

  it('reads back every literal that is written here', () => {
    const text = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 400 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 8 }), (fields) => {
        const block = fields.map(([name, value]) => new HeaderField(name, value).literal).join('');

        expect(fieldsOf(new HpackDecoder(), Buffer.from(block, 'latin1'))).toEqual(fields.map(([name, value]) => `${name}: ${value}`));
      }),
    );
  });

  it('takes any bytes at all without failing', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (blocks) => {
        const decoder = new HpackDecoder();

        for (const block of blocks) expect(() => fieldsOf(decoder, Buffer.from(block))).not.toThrow();
      }),
    );
  });
});
