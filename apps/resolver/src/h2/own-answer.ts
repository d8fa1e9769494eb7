import type { OwnAnswer } from '../exchange';
import { FLAG, FRAME, frameHead, H2_ERROR, LARGEST_PAYLOAD_BYTES, writeHeaderBlock, writeRstStream } from './frame';
import { writeLiteral } from './header-field';

/** How a stream wants to be answered. */
export interface Answered {
  readonly id: number;
  readonly isGrpc: boolean;
  readonly method: string;
  /** Whether the client has sent its request to the end. */
  readonly clientOver: boolean;
}

const UNKNOWN = 2;
const UNAVAILABLE = 14;
/** What gRPC says instead of an HTTP status. */
const GRPC_STATUS: ReadonlyMap<number, number> = new Map([
  [400, 13],
  [401, 16],
  [403, 7],
  [404, 12],
  [421, UNAVAILABLE],
  [431, 8],
  [502, UNAVAILABLE],
  [503, UNAVAILABLE],
  [504, 4],
  [508, 13],
]);

/** An answer of our own, and how much of the client's window its body takes. */
interface WrittenAnswer {
  readonly frames: string;
  readonly dataBytes: number;
}

/**
 * A stream's whole answer: a gRPC status for gRPC clients, plain text for all others.
 *
 * Written without any table, so it can stand between any two header blocks of the pod. A body that does not fit `windowBytes` is left out.
 * `lead` goes before the first field.
 */
export function writeOwnAnswer(stream: Answered, answer: OwnAnswer, windowBytes: number, lead = ''): WrittenAnswer {
  const stop = writeStop(stream);
  if (stream.isGrpc && answer.status >= 300) {
    return { frames: writeHeaderBlock(stream.id, lead + grpcBlock(answer), 'ends stream') + stop, dataBytes: 0 };
  }
  const { status, text, contentType, retryAfterSeconds, headers } = answer;
  const hasBody = status !== 204 && status !== 304;
  const body = hasBody ? Buffer.from(contentType === undefined ? `${text}\n` : text).toString('latin1') : '';
  let block = lead + writeLiteral(':status', String(status)) + writeLiteral('date', new Date().toUTCString());
  if (retryAfterSeconds !== undefined) block += writeLiteral('retry-after', String(retryAfterSeconds));
  for (const [name, value] of Object.entries(headers ?? {})) block += writeLiteral(name.toLowerCase(), value);
  if (hasBody) block += writeLiteral('content-type', contentType ?? 'text/plain; charset=utf-8');
  const fits = body.length <= windowBytes && body.length <= LARGEST_PAYLOAD_BYTES;
  if (hasBody && (fits || stream.method === 'HEAD')) block += writeLiteral('content-length', String(body.length));
  if (body === '' || !fits || stream.method === 'HEAD') {
    return { frames: writeHeaderBlock(stream.id, block, 'ends stream') + stop, dataBytes: 0 };
  }
  const data = frameHead(body.length, FRAME.data, FLAG.endStream, stream.id) + body;
  return { frames: writeHeaderBlock(stream.id, block, 'goes on') + data + stop, dataBytes: body.length };
}

/** The end of a gRPC answer that has begun and will not be whole; `lead` goes before the first field. */
export function writeGrpcCut(stream: Answered, text: string, lead = ''): string {
  return writeHeaderBlock(stream.id, lead + grpcStatus(UNAVAILABLE, text), 'ends stream') + writeStop(stream);
}

/** A client that is still sending is told to stop, without calling its request a failure. */
export function writeStop({ id, clientOver }: Answered): string {
  return clientOver ? '' : writeRstStream(id, H2_ERROR.none);
}

function grpcBlock(answer: OwnAnswer): string {
  return (
    writeLiteral(':status', '200') +
    writeLiteral('content-type', 'application/grpc') +
    grpcStatus(GRPC_STATUS.get(answer.status) ?? UNKNOWN, answer.text)
  );
}

function grpcStatus(code: number, text: string): string {
  return writeLiteral('grpc-status', String(code)) + writeLiteral('grpc-message', percentEncoded(text));
}

/** Everything but printable ASCII, and the percent sign itself. */
function percentEncoded(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    encoded +=
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
