import { FLAG, FRAME_HEAD_BYTES } from './frame';
import { decodeHuffman } from './huffman';

/** The statuses that HPACK knows by number, from this index on. */
const KNOWN = [200, 204, 206, 304, 400, 404, 500];
const FIRST_INDEX = 8;
const INDEXED = 0x80;
const SIZE_UPDATE = 0x20;

/**
 * The status of an answer, which leads its header block; interim answers have none yet.
 *
 * Pods are told to keep no table, so it is either one of the statuses that HPACK knows or written out. One that a pod puts in a table in
 * spite of that stays unknown.
 */
export function statusOf(flags: number, bytes: Buffer, start: number, end: number): number | undefined {
  const to = blockEnd(flags, bytes, start, end);
  const at = afterSizeUpdates(bytes, blockStart(flags, start), to);
  if (at >= to) return undefined;
  const first = bytes[at] ?? 0;
  if (first >= INDEXED) return KNOWN[first - INDEXED - FIRST_INDEX];
  return isStatusName(first) ? literalStatus(bytes, at + 1, to) : undefined;
}

/** Where the header block begins in its first frame. */
export function blockStart(flags: number, start: number): number {
  return start + FRAME_HEAD_BYTES + ((flags & FLAG.padded) === 0 ? 0 : 1) + ((flags & FLAG.priority) === 0 ? 0 : 5);
}

/** Where it ends there. */
export function blockEnd(flags: number, bytes: Buffer, start: number, end: number): number {
  return (flags & FLAG.padded) === 0 ? end : end - (bytes[start + FRAME_HEAD_BYTES] ?? 0);
}

function afterSizeUpdates(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && ((bytes[at] ?? 0) & 0xe0) === SIZE_UPDATE) {
    const isLong = (bytes[at++] ?? 0) === 0x3f;
    while (isLong && at < end && (bytes[at++] ?? 0) >= 0x80);
  }
  return at;
}

/** A literal whose name is that of a known status: with indexing, without, never. */
function isStatusName(first: number): boolean {
  const index = first >= 0x40 ? first & 0x3f : first & 0x0f;
  return index >= FIRST_INDEX && index < FIRST_INDEX + KNOWN.length;
}

function literalStatus(bytes: Buffer, start: number, end: number): number | undefined {
  const length = bytes[start] ?? 0;
  const from = start + 1;
  const to = from + (length & 0x7f);
  if (to > end) return undefined;
  const text = length < 0x80 ? bytes.toString('latin1', from, to) : decodeHuffman(bytes, from, to);
  const status = text?.length === 3 ? Number(text) : NaN;
  return status >= 200 && status < 600 ? status : undefined;
}
