import { TIMING_FIELD } from '../exchange';
import type { RequestView } from '../exchange';
import type { Passage } from '../http1';
import { acceptsEvents } from './content-type-peek';
import type { HeaderField } from './header-field';
import { writeLiteral } from './header-field';

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+\-.]*$/;
const PATH = /^\/[\x21\x22\x24-\x7e\x80-\xff]*$/;
const AUTHORITY = /^[A-Za-z0-9\-._~!$&'()*+,;=%:[\]]*$/;
const LENGTH = /^[0-9]{1,15}$/;

const MARKER_FIELD = 'x-elasti-via';

/** Told once a connection, or in other ways, in HTTP/2: a request that has one of these is malformed. */
const CONNECTION_FIELDS = new Set(['connection', 'proxy-connection', 'keep-alive', 'transfer-encoding', 'upgrade']);
/** For us alone, or written anew. */
const NOT_KEPT = new Set(['proxy-authenticate', 'proxy-authorization', 'x-forwarded-for', MARKER_FIELD, 'host']);

/**
 * The head of a request, strict: what is accepted here has one meaning only.
 *
 * It does not change once it is read, so all requests that look the same share one.
 */
export class H2Request implements RequestView {
  readonly method: string;
  readonly target: string;
  readonly host: string;
  readonly isGrpc: boolean;
  /** Whether its answer may be a stream of events. */
  readonly acceptsEvents: boolean;
  /** Whether its answer is to say how long it was held. */
  readonly asksTiming: boolean;
  /** The services that it was already passed on for. */
  readonly marker: string;
  /** -1 when the request does not say. */
  readonly contentLength: number;
  /** What it takes to keep it. */
  readonly size: number;
  private writtenFor: Passage | undefined;
  private written = '';

  private constructor(private readonly fields: readonly HeaderField[]) {
    this.method = this.first(':method') ?? '';
    this.target = this.first(':path') ?? '';
    this.host = this.header('host') ?? '';
    this.isGrpc = isGrpcType(this.first('content-type') ?? '');
    this.acceptsEvents = acceptsEvents(this.header('accept'));
    this.asksTiming = this.fields.findLast(({ name }) => name === TIMING_FIELD)?.value === '1';
    this.marker = this.joined(MARKER_FIELD);
    this.contentLength = Number(this.first('content-length') ?? -1);
    this.size = sizeOf(fields);
  }

  /** Undefined when the fields are no request. */
  static from(fields: readonly HeaderField[]): H2Request | undefined {
    return isRequest(fields) ? new H2Request(fields) : undefined;
  }

  /** As HTTP/1 has it, where a client sends all its cookies in one line. */
  header(name: string): string | undefined {
    if (name === 'host') return this.first(':authority') ?? this.first('host');
    const separator = name === 'cookie' ? '; ' : ', ';
    let value: string | undefined;
    for (const field of this.fields) {
      if (field.name === name) value = value === undefined ? field.value : value + separator + field.value;
    }
    return value;
  }

  /**
   * The header block for the pod. It leaves the pod's table alone, so that no request depends on another that went elsewhere.
   *
   * A front proxy's own word on protocol and host is kept, addresses are appended.
   */
  blockFor(passage: Passage): string {
    if (this.writtenFor === passage) return this.written;
    this.writtenFor = passage;
    this.written = this.write(passage);
    return this.written;
  }

  private write(passage: Passage): string {
    let block = '';
    for (const field of this.fields) if (!NOT_KEPT.has(field.name)) block += field.literal;
    // A request that names its host in the old way keeps doing so.
    if (!this.has(':authority') && this.host !== '') block += writeLiteral('host', this.host);
    block += writeLiteral('x-forwarded-for', appended(this.joined('x-forwarded-for'), passage.clientAddress));
    if (!this.has('x-forwarded-proto')) block += writeLiteral('x-forwarded-proto', 'http');
    if (!this.has('x-forwarded-host') && this.host !== '') block += writeLiteral('x-forwarded-host', this.host);
    return block + writeLiteral(MARKER_FIELD, appended(this.marker, passage.hop));
  }

  private has(name: string): boolean {
    return this.first(name) !== undefined;
  }

  private first(name: string): string | undefined {
    return this.fields.find((field) => field.name === name)?.value;
  }

  /** What proxies before us said, as far as they said anything. */
  private joined(name: string): string {
    return this.fields.reduce((all, field) => (field.name === name ? appended(all, field.value) : all), '');
  }
}

export function isGrpcType(contentType: string): boolean {
  return contentType.startsWith('application/grpc');
}

/** What a request ends with. */
export interface Trailers {
  /** The header block for the pod. */
  readonly block: string;
  /** What it takes to keep them. */
  readonly size: number;
}

/** Trailers have no pseudo-headers; undefined when these are none. */
export function trailersOf(fields: readonly HeaderField[]): Trailers | undefined {
  if (!fields.every((field) => !field.name.startsWith(':') && isRegular(field))) return undefined;
  return {
    block: fields.reduce((block, field) => block + field.literal, ''),
    size: sizeOf(fields),
  };
}

function sizeOf(fields: readonly HeaderField[]): number {
  return fields.reduce((size, field) => size + field.size, 0);
}

function appended(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
}

function isRequest(fields: readonly HeaderField[]): boolean {
  const pseudo = new Map<string, string>();
  let host: string | undefined;
  let length: string | undefined;
  let regular = false;
  for (const field of fields) {
    const { name, value } = field;
    if (name.startsWith(':')) {
      if (regular || !field.isValid || pseudo.has(name)) return false;
      pseudo.set(name, value);
      continue;
    }
    regular = true;
    if (!isRegular(field)) return false;
    if (name === 'host') {
      if (host !== undefined) return false;
      host = value;
    } else if (name === 'content-length') {
      if (length !== undefined || !LENGTH.test(value)) return false;
      length = value;
    }
  }
  return arePseudoHeaders(pseudo, host);
}

function isRegular(field: HeaderField): boolean {
  if (!field.isValid || CONNECTION_FIELDS.has(field.name)) return false;
  return field.name !== 'te' || field.value.toLowerCase() === 'trailers';
}

function arePseudoHeaders(pseudo: ReadonlyMap<string, string>, host: string | undefined): boolean {
  const method = pseudo.get(':method') ?? '';
  const path = pseudo.get(':path') ?? '';
  const authority = pseudo.get(':authority') ?? host ?? '';
  const known = 3 + (pseudo.has(':authority') ? 1 : 0) + (pseudo.has(':protocol') ? 1 : 0);
  if (pseudo.size !== known || !METHOD.test(method) || !SCHEME.test(pseudo.get(':scheme') ?? '')) return false;
  // CONNECT makes a tunnel to anywhere, unless it names a protocol to speak with the pod itself.
  if ((method === 'CONNECT') !== pseudo.has(':protocol')) return false;
  if (!PATH.test(path) && !(path === '*' && method === 'OPTIONS')) return false;
  return AUTHORITY.test(authority) && (host === undefined || host.toLowerCase() === authority.toLowerCase());
}
