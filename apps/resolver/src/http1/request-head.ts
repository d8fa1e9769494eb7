import type { BodyFraming } from './body-framing';
import { LengthFraming } from './body-framing';
import { ChunkedFraming } from './chunked-framing';
import type { Fault } from './fault';
import { FAULTS } from './fault';
import { fieldValue, MessageFields } from './message-fields';

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,32}$/;
/** No `#`: a fragment is never sent, and two readers would cut it off in two ways. */
const TARGET = /^[\x21\x22\x24-\x7e\x80-\xff]+$/;
const ZERO = 48;
const VERSION = ' HTTP/1.';
const HOST = /^[A-Za-z0-9\-._~!$&'()*+,;=%:[\]]*$/;
const ABSOLUTE_TARGET = /^https?:\/\/([^/?]*)(.*)$/i;

/**
 * The head of a request, filled anew by every `read`, and strict: what is accepted here has one meaning only.
 *
 * An absolute target becomes a path, which is what pods expect, once it agrees with Host.
 */
export class RequestHead {
  method = '';
  target = '';
  minorVersion: 0 | 1 = 1;
  /** The lines that were read, without the first and the last, empty one. */
  lines = '';
  readonly fields = new MessageFields();
  /** Goes up whenever the head is another than before. */
  version = 0;
  /** The head that all this is about, when it was good. */
  private readText: string | undefined;

  /**
   * `text` is the head up to its last line that is not empty, in latin1, with that line's CR LF.
   *
   * Who polls sends the same head again and again: it is not taken apart twice.
   */
  read(text: string): Fault | undefined {
    if (text === this.readText) return undefined;
    this.readText = undefined;
    this.version++;
    const fault = this.readAnew(text);
    if (fault === undefined) this.readText = text;
    return fault;
  }

  /** Nothing is kept of the head that was read last but its method, by which an answer of our own is written. */
  forget(): void {
    this.version++;
    this.readText = undefined;
    this.target = '';
    this.lines = '';
    this.fields.forget();
  }

  private readAnew(text: string): Fault | undefined {
    const next = this.readLine(text);
    if (next < 0) return FAULTS.requestLine;
    this.lines = text.slice(next);
    return this.fields.read(this.lines) ?? this.checkHost() ?? this.checkTarget() ?? this.checkFraming();
  }

  /** Where the fields begin, or -1. By hand: a match with its groups costs as much as all the rest of a head. */
  private readLine(text: string): number {
    const end = text.indexOf('\r\n');
    const version = end - VERSION.length - 1;
    const space = text.indexOf(' ');
    if (space > version || !text.startsWith(VERSION, version)) return -1;
    const minor = text.charCodeAt(end - 1) - ZERO;
    if (minor !== 0 && minor !== 1) return -1;
    this.minorVersion = minor;
    const isGet = text.startsWith('GET ');
    this.method = isGet ? 'GET' : text.slice(0, space);
    this.target = text.slice(space + 1, version);
    return (isGet || METHOD.test(this.method)) && TARGET.test(this.target) ? end + 2 : -1;
  }

  get host(): string {
    return this.fields.host;
  }

  /** The value of a header, several of one name joined by `, `; `name` is lower case. */
  header(name: string): string | undefined {
    return fieldValue(this.lines, name);
  }

  get keepsAlive(): boolean {
    return this.minorVersion === 1 ? !this.fields.close : this.fields.keepAlive && !this.fields.close;
  }

  /** The protocol asked for, or ''. */
  get upgrade(): string {
    return this.minorVersion === 1 ? this.fields.upgrade : '';
  }

  /** Undefined when there is no body. */
  framing(): BodyFraming | undefined {
    if (this.fields.chunked) return new ChunkedFraming();
    return this.fields.contentLength > 0 ? new LengthFraming(this.fields.contentLength) : undefined;
  }

  /** As announced; `Infinity` when it is not. */
  get bodyBytes(): number {
    return this.fields.chunked ? Infinity : Math.max(0, this.fields.contentLength);
  }

  private checkHost(): Fault | undefined {
    const { hosts, host } = this.fields;
    if (hosts > 1 || (hosts === 0 && this.minorVersion === 1)) return FAULTS.host;
    return HOST.test(host) ? undefined : FAULTS.host;
  }

  private checkTarget(): Fault | undefined {
    if (this.method === 'CONNECT') return FAULTS.connect;
    if (this.target.startsWith('/')) return undefined;
    if (this.target === '*') return this.method === 'OPTIONS' ? undefined : FAULTS.requestTarget;
    const absolute = ABSOLUTE_TARGET.exec(this.target);
    if (absolute === null) return FAULTS.requestTarget;
    const [, authority = '', path = ''] = absolute;
    if (authority === '' || authority.toLowerCase() !== this.fields.host.toLowerCase()) return FAULTS.requestTarget;
    this.target = path.startsWith('/') ? path : `/${path}`;
    return undefined;
  }

  private checkFraming(): Fault | undefined {
    return this.fields.chunked && this.minorVersion === 0 ? FAULTS.transferEncoding : undefined;
  }
}
