import { KEPT_HEAD_BYTES } from './limits';
import type { RequestHead } from './request-head';
import type { ResponseHead } from './response-head';

const UPGRADE_REQUIRED = 426;

/** What the forwarder adds to a request: who sent it, and for whom it is passed on. */
export interface Passage {
  readonly clientAddress: string;
  /** The service in whose name it is passed on, as the marker lists it. */
  readonly hop: string;
}

/** Writes the heads of one client's requests. What is the same as in the request before is not written anew. */
export class RequestWriter {
  private headVersion = -1;
  private written = '';
  private fieldsVersion = -1;
  private minorVersion = 1;
  private passage: Passage | undefined;
  private lines = '';

  /** The head as the pod gets it. */
  write(head: RequestHead, passage: Passage): string {
    if (head.version === this.headVersion && passage === this.passage) return this.written;
    const written = this.writeAnew(head, passage);
    if (written.length > KEPT_HEAD_BYTES) {
      this.forget();
      // As a piece of what was read it would keep all of that.
      return inOnePiece(written);
    }
    this.headVersion = head.version;
    this.written = written;
    return written;
  }

  private forget(): void {
    this.headVersion = -1;
    this.written = '';
    this.fieldsVersion = -1;
    this.lines = '';
  }

  private writeAnew(head: RequestHead, passage: Passage): string {
    const { fields, minorVersion } = head;
    if (fields.version !== this.fieldsVersion || passage !== this.passage || minorVersion !== this.minorVersion) {
      this.lines = inOnePiece(requestLines(head, passage));
      this.fieldsVersion = fields.version;
      this.passage = passage;
      this.minorVersion = minorVersion;
    }
    return `${head.method} ${head.target} HTTP/1.${minorVersion}\r\n${this.lines}`;
  }
}

/** A front proxy's own word on protocol and host is kept, addresses are appended. */
function requestLines(head: RequestHead, passage: Passage): string {
  const { fields } = head;
  return (
    `${fields.kept}X-Forwarded-For: ` +
    (fields.forwardedFor === '' ? passage.clientAddress : `${fields.forwardedFor}, ${passage.clientAddress}`) +
    (fields.hasForwardedProto ? '' : '\r\nX-Forwarded-Proto: http') +
    (fields.hasForwardedHost || fields.hosts === 0 ? '' : `\r\nX-Forwarded-Host: ${fields.host}`) +
    `\r\nX-Elasti-Via: ${fields.marker === '' ? passage.hop : `${fields.marker}, ${passage.hop}`}\r\n` +
    connectionLines(head)
  );
}

function connectionLines(head: RequestHead): string {
  if (head.upgrade !== '') return upgradeLines(head.upgrade, head.fields.http2Settings);
  return head.minorVersion === 1 ? '\r\n' : 'Connection: keep-alive\r\n\r\n';
}

function upgradeLines(protocol: string, http2Settings: string): string {
  if (http2Settings === '') return `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
  return `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: ${protocol}\r\nHTTP2-Settings: ${http2Settings}\r\n\r\n`;
}

/** A string put together of others is copied together by every write; what is written often is better made of one piece. */
function inOnePiece(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('latin1');
}

/** What is said to the client about its connection. */
export type Persistence = 'close' | 'keep-alive' | 'unsaid';

/** `added` are lines of our own, each with its CR LF. */
export function writeResponseHead(head: ResponseHead, persistence: Persistence, added = ''): string {
  if (persistence === 'unsaid' && added === '') {
    if (head.written === '') head.written = inOnePiece(`${firstLines(head)}${lastLines(head, persistence)}`);
    return head.written;
  }
  return `${firstLines(head)}${added}${lastLines(head, persistence)}`;
}

function lastLines(head: ResponseHead, persistence: Persistence): string {
  if (head.status === UPGRADE_REQUIRED && head.fields.namedProtocols !== '') return upgradeRequiredLines(head, persistence);
  switch (persistence) {
    case 'close':
      return 'Connection: close\r\n\r\n';
    case 'keep-alive':
      return 'Connection: keep-alive\r\n\r\n';
    case 'unsaid':
      return '\r\n';
  }
}

/** Such an answer has to name the protocols (RFC 9110, 15.5.22): they are for the client, who may ask us for them. */
function upgradeRequiredLines({ fields }: ResponseHead, persistence: Persistence): string {
  const options = persistence === 'unsaid' ? 'Upgrade' : `Upgrade, ${persistence}`;
  return `Connection: ${options}\r\nUpgrade: ${fields.namedProtocols}\r\n\r\n`;
}

function firstLines(head: ResponseHead): string {
  return `HTTP/1.1 ${head.status}${head.reason === '' ? ' ' : head.reason}\r\n${head.fields.kept}`;
}

/** The answer that turns the connection over to another protocol. */
export function writeSwitchHead(head: ResponseHead): string {
  return `HTTP/1.1 101${head.reason === '' ? ' ' : head.reason}\r\n${head.fields.kept}${upgradeLines(head.fields.upgrade, '')}`;
}
