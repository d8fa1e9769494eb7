import type { IncomingMessage } from 'node:http';
import { BadReviewError } from './review';

/** The whole body, never holding more than `maxBytes` of it. @throws BadReviewError 413 for a larger one */
export async function readBody(request: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(maxBytes: number): BadReviewError {
  return new BadReviewError(413, `the body is larger than ${maxBytes} bytes`);
}
