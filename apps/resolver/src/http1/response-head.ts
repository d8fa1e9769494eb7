import type { BodyFraming } from './body-framing';
import { LengthFraming, UntilCloseFraming } from './body-framing';
import { ChunkedFraming } from './chunked-framing';
import type { Fault } from './fault';
import { FAULTS } from './fault';
import { MessageFields } from './message-fields';

const VERSION = 'HTTP/1.';
const REASON = /^(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const ZERO = 48;
const SPACE = 32;

/** The head of an answer, filled anew by every `read`, as strict as that of a request. */
export class ResponseHead {
  status = 0;
  minorVersion: 0 | 1 = 1;
  /** What follows the status in the first line, with its space. */
  reason = '';
  readonly fields = new MessageFields();
  /** As it goes on to a client, once it was written; '' before. */
  written = '';
  /** The head that all this is about, when it was good. */
  private readText: string | undefined;

  /** `text` as for a request. Pods often give the same head again: it is not taken apart twice. */
  read(text: string): Fault | undefined {
    if (text === this.readText) return undefined;
    this.readText = undefined;
    this.written = '';
    const fault = this.readAnew(text);
    if (fault === undefined) this.readText = text;
    return fault;
  }

  /** Nothing is kept of the head that was read last. */
  forget(): void {
    this.readText = undefined;
    this.written = '';
    this.reason = '';
    this.fields.forget();
  }

  private readAnew(text: string): Fault | undefined {
    const next = this.readLine(text);
    if (next < 0) return FAULTS.statusLine;
    const fault = this.fields.read(text.slice(next));
    if (fault) return fault;
    return this.fields.chunked && this.minorVersion === 0 ? FAULTS.transferEncoding : undefined;
  }

  /** Where the fields begin, or -1. By hand, as in requests. */
  private readLine(text: string): number {
    const minor = text.charCodeAt(7) - ZERO;
    if (!text.startsWith(VERSION) || (minor !== 0 && minor !== 1) || text.charCodeAt(8) !== SPACE) return -1;
    const hundreds = text.charCodeAt(9) - ZERO;
    const tens = text.charCodeAt(10) - ZERO;
    const ones = text.charCodeAt(11) - ZERO;
    if (!(hundreds >= 1 && hundreds <= 5 && isDigit(tens) && isDigit(ones))) return -1;
    const end = text.indexOf('\r\n', 12);
    if (end < 0) return -1;
    this.status = hundreds * 100 + tens * 10 + ones;
    this.minorVersion = minor;
    this.reason = text.slice(12, end);
    return REASON.test(this.reason) ? end + 2 : -1;
  }

  get isInterim(): boolean {
    return this.status < 200 && this.status !== 101;
  }

  get keepsAlive(): boolean {
    return this.minorVersion === 1 ? !this.fields.close : this.fields.keepAlive && !this.fields.close;
  }

  /** Undefined when there is no body. */
  framing(requestMethod: string): BodyFraming | undefined {
    if (requestMethod === 'HEAD' || this.status === 204 || this.status === 304) return undefined;
    if (this.fields.chunked) return new ChunkedFraming();
    if (this.fields.contentLength < 0) return new UntilCloseFraming();
    return this.fields.contentLength > 0 ? new LengthFraming(this.fields.contentLength) : undefined;
  }
}

function isDigit(digit: number): boolean {
  return digit >= 0 && digit <= 9;
}
