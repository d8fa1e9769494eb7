import type { HeaderField } from './header-field';
import { H2Request, isGrpcType, trailersOf } from './h2-request';
import type { Trailers } from './h2-request';
import { HpackDecoder } from './hpack-decoder';
import { FIELD_LIMIT, FIELDS_LIMIT_BYTES } from './limits';

/** What a header block turns out to be: `not hpack` ends the connection, the other the stream. */
type BadHead = 'not hpack' | 'malformed';

/** A head that is too large to be kept, and what its answer must know of it, wherever in the head that stands. */
export class LargeHead {
  method = '';
  isGrpc = false;

  note({ name, value }: HeaderField): void {
    if (name === ':method') this.method = value;
    else if (name === 'content-type') this.isGrpc = isGrpcType(value);
  }
}

/** Longer blocks, and more of them, are not worth remembering. */
const REMEMBERED_BLOCK_BYTES = 512;
const REMEMBERED_BLOCKS = 64;
/** What a remembered block may unfold to. */
const REMEMBERED_FIELDS_BYTES = 4 * 1024;

/**
 * Turns the header blocks of one connection into requests and trailers.
 *
 * Clients repeat themselves: as long as the HPACK table stays as it is, the same bytes are the same request, which is then read once.
 */
export class RequestReader {
  private readonly decoder = new HpackDecoder();
  private readonly known = new Map<string, H2Request>();
  private knownVersion = 0;

  readRequest(bytes: Buffer, start: number, end: number): H2Request | LargeHead | BadHead {
    const key = end - start <= REMEMBERED_BLOCK_BYTES ? bytes.toString('latin1', start, end) : undefined;
    const known = key === undefined ? undefined : this.known.get(key);
    if (known) return known;
    const { version } = this.decoder;
    const fields = this.readFields(bytes, start, end);
    if (typeof fields === 'string' || fields instanceof LargeHead) return fields;
    const request = H2Request.from(fields);
    if (request === undefined) return 'malformed';
    // A block that changed the table would change it again.
    const isSame = this.decoder.version === version && request.size <= REMEMBERED_FIELDS_BYTES;
    if (key !== undefined && isSame && this.known.size < REMEMBERED_BLOCKS) this.known.set(key, request);
    return request;
  }

  readTrailers(bytes: Buffer, start: number, end: number): Trailers | BadHead {
    const fields = this.readFields(bytes, start, end);
    if (typeof fields === 'string') return fields;
    return fields instanceof LargeHead ? 'malformed' : (trailersOf(fields) ?? 'malformed');
  }

  private readFields(bytes: Buffer, start: number, end: number): readonly HeaderField[] | LargeHead | 'not hpack' {
    const fields: HeaderField[] = [];
    let size = 0;
    let large: LargeHead | undefined;
    const read = this.decoder.decode(bytes, start, end, (field) => {
      size += field.size;
      if (large === undefined && size <= FIELDS_LIMIT_BYTES && fields.length < FIELD_LIMIT) fields.push(field);
      else (large ??= largeHeadOf(fields)).note(field);
    });
    if (!read) return 'not hpack';
    if (this.decoder.version !== this.knownVersion) {
      this.knownVersion = this.decoder.version;
      this.known.clear();
    }
    return large ?? fields;
  }
}

function largeHeadOf(fields: readonly HeaderField[]): LargeHead {
  const large = new LargeHead();
  for (const field of fields) large.note(field);
  return large;
}
