import { FLAG, FRAME_HEAD_BYTES } from './frame';

/** The statuses that HPACK knows by number, from index 8 on. */
const KNOWN = [200, 204, 206, 304, 400, 404, 500];
const FIRST_KNOWN = 0x88;
/** A literal whose name is one of those: with indexing, without, never. */
const STATUS_NAMES = new Set([0x48, 0x08, 0x18]);
const SIZE_UPDATE = 0x20;

/**
 * The status of an answer, when it can be told from the first bytes of its header block; interim answers have none yet.
 *
 * Statuses that a pod has put in its table, and those written in Huffman code, stay unknown: knowing them would cost reading every block.
 */
export function statusOf(flags: number, bytes: Buffer, start: number, end: number): number | undefined {
  let at = start + FRAME_HEAD_BYTES;
  if ((flags & FLAG.padded) !== 0) at++;
  if ((flags & FLAG.priority) !== 0) at += 5;
  if (((bytes[at] ?? 0) & 0xe0) === SIZE_UPDATE) {
    const long = (bytes[at++] ?? 0) === 0x3f;
    while (long && at < end && (bytes[at++] ?? 0) >= 0x80);
  }
  if (at >= end) return undefined;
  const first = bytes[at] ?? 0;
  const known = KNOWN[first - FIRST_KNOWN];
  if (known !== undefined) return known;
  if (!STATUS_NAMES.has(first) || bytes[at + 1] !== 3 || at + 5 > end) return undefined;
  const status = Number(bytes.toString('latin1', at + 2, at + 5));
  return status >= 200 && status < 600 ? status : undefined;
}
