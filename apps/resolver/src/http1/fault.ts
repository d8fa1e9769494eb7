/** Why a message is not taken, in words fit for the one who sent it. After a fault nothing of the connection can be trusted. */
export interface Fault {
  readonly status: 400 | 405 | 431 | 503;
  readonly detail: string;
  /** Where it is not the message's own. */
  readonly retryAfterSeconds?: number;
}

const bad = (detail: string): Fault => Object.freeze({ status: 400, detail });

export const FAULTS = {
  requestLine: bad('the request line is malformed'),
  statusLine: bad('the status line is malformed'),
  requestTarget: bad('the request target is malformed or contradicts Host'),
  fieldLine: bad('a header line is malformed'),
  bareLineEnd: bad('a line ends without CR LF'),
  host: bad('exactly one valid Host header is needed'),
  contentLength: bad('Content-Length is malformed or repeated'),
  transferEncoding: bad('Transfer-Encoding must be chunked, once, and without Content-Length'),
  chunk: bad('the chunked body is malformed'),
  connect: Object.freeze({ status: 405, detail: 'CONNECT is not served here' }),
  headTooLarge: Object.freeze({ status: 431, detail: 'the request head is larger than 32 KiB' }),
  noRoomForHead: Object.freeze({ status: 503, detail: 'too many request heads have begun and not ended here', retryAfterSeconds: 5 }),
  tooManyFields: Object.freeze({ status: 431, detail: 'the request has too many header fields' }),
} as const satisfies Record<string, Fault>;
