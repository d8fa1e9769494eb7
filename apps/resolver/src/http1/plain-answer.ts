import { STATUS_CODES } from 'node:http';

/** An answer of our own: a line of text, never a page. */
export interface PlainAnswer {
  readonly status: number;
  /** Without its line end; it may name the service, never what the client sent. */
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

/** `requestMethod` since an answer to HEAD has no body, whatever it says of its length. */
export function writePlainAnswer(answer: PlainAnswer, requestMethod: string, persistence: 'close' | 'keep-alive'): string {
  const body = Buffer.from(`${answer.text}\n`).toString('latin1');
  return (
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}\r\n` +
    `Date: ${new Date().toUTCString()}\r\n` +
    `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n` +
    (answer.retryAfterSeconds === undefined ? '' : `Retry-After: ${answer.retryAfterSeconds}\r\n`) +
    `Connection: ${persistence}\r\n\r\n` +
    (requestMethod === 'HEAD' ? '' : body)
  );
}
