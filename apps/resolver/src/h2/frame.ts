/** What HTTP/2 calls its frames, flags and errors, and how we write the short ones: as latin1 text, which is what a link writes best. */
export const FRAME_HEAD_BYTES = 9;

/** Neither side is ever told of a larger size, so that every frame can be held whole. */
export const LARGEST_PAYLOAD_BYTES = 16_384;

export const LARGEST_STREAM_ID = 0x7fffffff;
export const LARGEST_WINDOW = 0x7fffffff;
export const FIRST_WINDOW = 65_535;

export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const H2_ERROR = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

export type H2ErrorCode = (typeof H2_ERROR)[keyof typeof H2_ERROR];

export function uint32(value: number): string {
  return String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

export function frameHead(length: number, type: number, flags: number, streamId: number): string {
  return String.fromCharCode((length >>> 16) & 255, (length >>> 8) & 255, length & 255, type, flags) + uint32(streamId);
}

export function writeWindowUpdate(streamId: number, increment: number): string {
  return frameHead(4, FRAME.windowUpdate, 0, streamId) + uint32(increment);
}

export function writeRstStream(streamId: number, code: H2ErrorCode): string {
  return frameHead(4, FRAME.rstStream, 0, streamId) + uint32(code);
}

export function writeGoaway(lastStreamId: number, code: H2ErrorCode): string {
  return frameHead(8, FRAME.goaway, 0, 0) + uint32(lastStreamId) + uint32(code);
}

/** `payload` is eight bytes. */
export function writePing(payload: string, kind: 'question' | 'answer'): string {
  return frameHead(8, FRAME.ping, kind === 'answer' ? FLAG.ack : 0, 0) + payload;
}

/** A header block as one HEADERS frame, and as many CONTINUATION frames as it takes. */
export function writeHeaderBlock(streamId: number, block: string, end: 'ends stream' | 'goes on'): string {
  const endStream = end === 'ends stream' ? FLAG.endStream : 0;
  if (block.length <= LARGEST_PAYLOAD_BYTES) {
    return frameHead(block.length, FRAME.headers, endStream | FLAG.endHeaders, streamId) + block;
  }
  let text = frameHead(LARGEST_PAYLOAD_BYTES, FRAME.headers, endStream, streamId) + block.slice(0, LARGEST_PAYLOAD_BYTES);
  for (let at = LARGEST_PAYLOAD_BYTES; at < block.length; at += LARGEST_PAYLOAD_BYTES) {
    const piece = block.slice(at, at + LARGEST_PAYLOAD_BYTES);
    const last = at + piece.length === block.length;
    text += frameHead(piece.length, FRAME.continuation, last ? FLAG.endHeaders : 0, streamId) + piece;
  }
  return text;
}
