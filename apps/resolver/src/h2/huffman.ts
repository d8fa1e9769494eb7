/** The length in bits of every byte's code (RFC 7541, appendix B). The code is canonical, so the lengths say it all. */
const CODE_LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28, 6, 10, 10,
  12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7,
  7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22,
  23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22,
  23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20,
  24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

const LONGEST_CODE = 30;

/** A byte of input leads to a symbol with the bits it used, or to the next table; codes of no symbol lead nowhere. */
type Step = { readonly symbol: number; readonly bits: number } | Step[] | undefined;

const ROOT = buildTables();

function buildTables(): Step[] {
  const root: Step[] = new Array<Step>(256);
  let code = 0;
  for (let length = 1; length <= LONGEST_CODE; length++) {
    code *= 2;
    for (let symbol = 0; symbol < CODE_LENGTHS.length; symbol++) {
      if (CODE_LENGTHS[symbol] === length) place(root, code++, length, symbol);
    }
  }
  return root;
}

function place(root: Step[], code: number, length: number, symbol: number): void {
  let table = root;
  let left = length;
  for (; left > 8; left -= 8) {
    const index = (code >>> (left - 8)) & 255;
    let next = table[index];
    if (!Array.isArray(next)) next = table[index] = new Array<Step>(256);
    table = next;
  }
  const first = (code << (8 - left)) & 255;
  table.fill({ symbol, bits: left }, first, first + (1 << (8 - left)));
}

/** The text of a Huffman-coded string, or undefined when it is not one: a code of no symbol, or padding that is not all ones or too long. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string | undefined {
  const decoded = Buffer.allocUnsafe(Math.floor(((end - start) * 8) / 5));
  let length = 0;
  let table = ROOT;
  let bits = 0;
  let count = 0;
  /** Bits since the last symbol. */
  let open = 0;
  for (let at = start; at < end; at++) {
    bits = ((bits << 8) | (bytes[at] ?? 0)) & 0xffff;
    count += 8;
    open += 8;
    while (count >= 8) {
      const step = table[(bits >>> (count - 8)) & 255];
      if (step === undefined) return undefined;
      if (Array.isArray(step)) {
        table = step;
        count -= 8;
      } else {
        decoded[length++] = step.symbol;
        count -= step.bits;
        open = count;
        table = ROOT;
      }
    }
  }
  while (count > 0) {
    const step = table[(bits << (8 - count)) & 255];
    if (step === undefined || Array.isArray(step) || step.bits > count) break;
    decoded[length++] = step.symbol;
    count -= step.bits;
    open = count;
    table = ROOT;
  }
  const padding = (1 << count) - 1;
  if (open > 7 || (bits & padding) !== padding) return undefined;
  return decoded.toString('latin1', 0, length);
}
