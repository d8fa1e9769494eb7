import { TIMING_FIELD } from '../exchange';
import type { Fault } from './fault';
import { FAULTS } from './fault';
import { FIELD_LIMIT } from './limits';
import { MARKER_FIELD } from './marker';

/** Every line of a head after the first: no folding, no space before the colon, no control characters. */
const FIELD_LINES = /^(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;
const LENGTH = /^[0-9]{1,15}$/;

/** Fields that frame or name the message, or say how it came here: no Connection header may have them dropped. */
const NEVER_DROPPED = new Set(['content-length', 'transfer-encoding', 'host', 'x-forwarded-proto', 'x-forwarded-host']);

/**
 * What the fields of a head say about its connection, its framing and its way here, and the fields to pass on.
 *
 * Filled anew by every `read`; hop-by-hop fields, and those that the forwarder writes itself, are not in `kept`.
 */
export class MessageFields {
  /** The lines to pass on, each with its CR LF. */
  kept = '';
  hosts = 0;
  host = '';
  /** -1 when there is none. */
  contentLength = -1;
  chunked = false;
  close = false;
  keepAlive = false;
  /** -1 when the other side does not say how long it keeps an idle connection. */
  keepAliveSeconds = -1;
  /** The protocol asked for, when Connection names Upgrade too. */
  upgrade = '';
  /** The same, whatever Connection says. */
  namedProtocols = '';
  http2Settings = '';
  forwardedFor = '';
  hasForwardedProto = false;
  hasForwardedHost = false;
  marker = '';
  asksTiming = false;

  /** Goes up whenever the fields are others than before. */
  version = 0;

  private nominated: string[] | undefined;
  private namesUpgrade = false;
  /** What is said here about, when it was good. */
  private readLines: string | undefined;

  /**
   * `lines` is a head without its first line and its last, empty one.
   *
   * One message after the other on a connection often has the very same lines: those are not taken apart again.
   */
  read(lines: string): Fault | undefined {
    if (lines === this.readLines) return undefined;
    this.readLines = undefined;
    this.version++;
    const fault = this.readAnew(lines);
    if (fault === undefined) this.readLines = lines;
    return fault;
  }

  /** Nothing is kept of the lines that were read last. */
  forget(): void {
    this.version++;
    this.readLines = undefined;
    this.reset();
  }

  private readAnew(lines: string): Fault | undefined {
    this.reset();
    if (!FIELD_LINES.test(lines)) return FAULTS.fieldLine;
    let keptFrom = 0;
    let count = 0;
    for (let at = 0; at < lines.length;) {
      if (++count > FIELD_LIMIT) return FAULTS.tooManyFields;
      const colon = lines.indexOf(':', at);
      const end = lines.indexOf('\r\n', colon);
      const verdict = this.field(lines, at, colon, end);
      if (verdict === 'cut') {
        if (at > keptFrom) this.kept += lines.slice(keptFrom, at);
        keptFrom = end + 2;
      } else if (verdict !== 'keep') {
        return verdict;
      }
      at = end + 2;
    }
    if (keptFrom === 0) this.kept = lines;
    else if (keptFrom < lines.length) this.kept += lines.slice(keptFrom);
    this.namedProtocols = this.upgrade;
    if (!this.namesUpgrade) this.upgrade = '';
    if (this.nominated !== undefined) this.kept = withoutFields(this.kept, this.nominated);
    return this.chunked && this.contentLength >= 0 ? FAULTS.transferEncoding : undefined;
  }

  private reset(): void {
    this.kept = '';
    this.hosts = 0;
    this.host = '';
    this.contentLength = -1;
    this.chunked = false;
    this.close = false;
    this.keepAlive = false;
    this.keepAliveSeconds = -1;
    this.upgrade = '';
    this.namedProtocols = '';
    this.http2Settings = '';
    this.forwardedFor = '';
    this.hasForwardedProto = false;
    this.hasForwardedHost = false;
    this.marker = '';
    this.asksTiming = false;
    this.nominated = undefined;
    this.namesUpgrade = false;
  }

  /** Most fields are told apart by the length of their name alone, so few are ever copied and lowered. */
  private field(lines: string, at: number, colon: number, end: number): 'keep' | 'cut' | Fault {
    switch (colon - at) {
      case 2:
        if (!isName(lines, at, 'te')) return 'keep';
        return valueOf(lines, colon, end).toLowerCase() === 'trailers' ? 'keep' : 'cut';
      case 4:
        if (isName(lines, at, 'host')) {
          this.hosts++;
          this.host = valueOf(lines, colon, end);
        }
        return 'keep';
      case 7:
        if (!isName(lines, at, 'upgrade')) return 'keep';
        this.upgrade = joined(this.upgrade, valueOf(lines, colon, end));
        return 'cut';
      case 10:
        if (isName(lines, at, 'connection')) return this.connection(valueOf(lines, colon, end));
        if (!isName(lines, at, 'keep-alive')) return 'keep';
        this.keepAliveSeconds = timeoutOf(valueOf(lines, colon, end));
        return 'cut';
      case 14:
        if (isName(lines, at, 'content-length')) return this.length(valueOf(lines, colon, end));
        if (!isName(lines, at, 'http2-settings')) return 'keep';
        this.http2Settings = valueOf(lines, colon, end);
        return 'cut';
      case 17:
        if (isName(lines, at, 'x-forwarded-proto')) this.hasForwardedProto = true;
        return isName(lines, at, 'transfer-encoding') ? this.encoding(valueOf(lines, colon, end)) : 'keep';
      default:
        return this.proxyField(lines, at, colon, end);
    }
  }

  /** What proxies say to each other. */
  private proxyField(lines: string, at: number, colon: number, end: number): 'keep' | 'cut' {
    switch (colon - at) {
      case 12:
        if (!isName(lines, at, MARKER_FIELD)) return 'keep';
        this.marker = joined(this.marker, valueOf(lines, colon, end));
        return 'cut';
      case 15:
        if (isName(lines, at, TIMING_FIELD)) this.asksTiming = valueOf(lines, colon, end) === '1';
        if (!isName(lines, at, 'x-forwarded-for')) return 'keep';
        this.forwardedFor = joined(this.forwardedFor, valueOf(lines, colon, end));
        return 'cut';
      case 16:
        if (isName(lines, at, 'x-forwarded-host')) this.hasForwardedHost = true;
        return isName(lines, at, 'proxy-connection') ? 'cut' : 'keep';
      case 18:
        return isName(lines, at, 'proxy-authenticate') ? 'cut' : 'keep';
      case 19:
        return isName(lines, at, 'proxy-authorization') ? 'cut' : 'keep';
      default:
        return 'keep';
    }
  }

  private connection(value: string): 'cut' {
    const lowered = value.toLowerCase();
    if (lowered === 'keep-alive') this.keepAlive = true;
    else if (lowered === 'close') this.close = true;
    else for (const option of lowered.split(',')) this.connectionOption(option.trim());
    return 'cut';
  }

  private connectionOption(option: string): void {
    if (option === 'close') this.close = true;
    else if (option === 'keep-alive') this.keepAlive = true;
    else if (option === 'upgrade') this.namesUpgrade = true;
    else if (option !== '' && option !== 'te' && !NEVER_DROPPED.has(option)) (this.nominated ??= []).push(option);
  }

  private length(value: string): 'keep' | Fault {
    if (this.contentLength >= 0 || !LENGTH.test(value)) return FAULTS.contentLength;
    this.contentLength = Number(value);
    return 'keep';
  }

  private encoding(value: string): 'keep' | Fault {
    if (this.chunked || value.toLowerCase() !== 'chunked') return FAULTS.transferEncoding;
    this.chunked = true;
    return 'keep';
  }
}

/**
 * Whether the field of a name that is as long as `name` has it, in whatever case. Without a copy: the bit that tells small letters from
 * capitals is set in all other characters of the names asked for, and the lines hold nothing that would become one of them by it.
 */
function isName(lines: string, at: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if ((lines.charCodeAt(at + index) | 32) !== name.charCodeAt(index)) return false;
  }
  return true;
}

function valueOf(lines: string, colon: number, end: number): string {
  return trimmed(lines.slice(colon + 1, end));
}

/** Only what HTTP calls white space: `trim` would take a no-break space too, which is a byte of the value here. */
function trimmed(value: string): string {
  let from = 0;
  let to = value.length;
  while (from < to && isBlank(value.charCodeAt(from))) from++;
  while (to > from && isBlank(value.charCodeAt(to - 1))) to--;
  return value.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

function joined(before: string, value: string): string {
  return before === '' ? value : `${before}, ${value}`;
}

function timeoutOf(value: string): number {
  const found = /(?:^|[,; \t])timeout=([0-9]{1,6})/i.exec(value);
  return found ? Number(found[1]) : -1;
}

function withoutFields(lines: string, names: readonly string[]): string {
  const dropped = new Set(names);
  return lines
    .split('\r\n')
    .filter((line) => line !== '' && !dropped.has(line.slice(0, line.indexOf(':')).toLowerCase()))
    .map((line) => `${line}\r\n`)
    .join('');
}

/** The value of a field, several of one name joined as HTTP allows, looked up in lines that were read before. `name` is lower case. */
export function fieldValue(lines: string, name: string): string | undefined {
  let value: string | undefined;
  for (let at = 0; at < lines.length;) {
    const colon = lines.indexOf(':', at);
    const end = lines.indexOf('\r\n', colon);
    if (colon - at === name.length && isName(lines, at, name)) {
      const own = valueOf(lines, colon, end);
      value = value === undefined ? own : `${value}, ${own}`;
    }
    at = end + 2;
  }
  return value;
}
