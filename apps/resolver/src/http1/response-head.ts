import type { BodyFraming } from './body-framing';
import { LengthFraming, UntilCloseFraming } from './body-framing';
import { ChunkedFraming } from './chunked-framing';
import type { Fault } from './fault';
import { FAULTS } from './fault';
import { MessageFields } from './message-fields';

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9][0-9])((?: [\t\x20-\x7e\x80-\xff]*)?)\r\n/;

/** The head of an answer, filled anew by every `read`, as strict as that of a request. */
export class ResponseHead {
  status = 0;
  minorVersion: 0 | 1 = 1;
  /** What follows the status in the first line, with its space. */
  reason = '';
  readonly fields = new MessageFields();

  /** `text` as for a request. */
  read(text: string): Fault | undefined {
    const line = STATUS_LINE.exec(text);
    if (line === null) return FAULTS.statusLine;
    const [first, minor, status, reason = ''] = line;
    this.status = Number(status);
    this.minorVersion = minor === '1' ? 1 : 0;
    this.reason = reason;
    const fault = this.fields.read(text.slice(first.length));
    if (fault) return fault;
    return this.fields.chunked && this.minorVersion === 0 ? FAULTS.transferEncoding : undefined;
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
