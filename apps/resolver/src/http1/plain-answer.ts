import { STATUS_CODES } from 'node:http';

import type { OwnAnswer } from '../exchange';

/** An answer of our own. It may name the service, never what the client sent. */
export type PlainAnswer = OwnAnswer;

/** `requestMethod` since an answer to HEAD has no body, whatever it says of its length. */
export function writePlainAnswer(answer: PlainAnswer, requestMethod: string, persistence: 'close' | 'keep-alive'): string {
  const { status, retryAfterSeconds } = answer;
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n` +
    `Date: ${new Date().toUTCString()}\r\n` +
    (retryAfterSeconds === undefined ? '' : `Retry-After: ${retryAfterSeconds}\r\n`) +
    ownHeaders(answer) +
    `Connection: ${persistence}\r\n` +
    content(answer, requestMethod)
  );
}

function ownHeaders({ headers }: PlainAnswer): string {
  return headers === undefined
    ? ''
    : Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('');
}

/** The last lines of the head, and the body. */
function content({ status, text, contentType }: PlainAnswer, requestMethod: string): string {
  if (status === 204 || status === 304) return '\r\n';
  const body = Buffer.from(contentType === undefined ? `${text}\n` : text).toString('latin1');
  return (
    `Content-Type: ${contentType ?? 'text/plain; charset=utf-8'}\r\nContent-Length: ${body.length}\r\n\r\n` +
    (requestMethod === 'HEAD' ? '' : body)
  );
}
