import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** What a reader made of some bytes. */
export interface Reading {
  /** Each request that it saw whole: method, target, headers and body. */
  readonly requests: readonly string[];
  readonly verdict: 'all read' | 'refused' | 'beyond a proxy' | 'left to the pod to refuse' | 'wants more';
}

/** Beyond this a reader is taken to want more than it was sent. */
const patienceMs = 1_000;
const refusalByNode = 'HTTP/1.1 400 Bad Request\r\nX-Refused-By: node\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
/**
 * Node has a list of methods, and takes targets in ASCII only; a proxy leaves both to the pod, as others take what it does not, and there is but
 * one way to read them.
 */
const beyondProxy = refusalByNode.replace('400 Bad Request', '405 Method Not Allowed');
/** What a proxy has to change, and may. */
const ofTheHop = /^(connection|keep-alive|te|upgrade|expect|proxy-.*|x-forwarded-.*|x-elasti-via)$/;

function told({ method, url, rawHeaders }: IncomingMessage, body: string): string {
  const headers: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (!ofTheHop.test(name)) headers.push(`${name}: ${rawHeaders[at + 1] ?? ''}`);
  }
  return JSON.stringify([method, url, headers, body]);
}

/** Node's own server with its strict parser, which answers each request with what it saw. */
export class StrictNode {
  private readonly seen = new Map<number, string[]>();
  private readonly server: Server;

  constructor() {
    this.server = createServer({ insecureHTTPParser: false, requireHostHeader: true, keepAliveTimeout: 60_000 }, (request, response) => {
      let body = '';
      const peer = request.socket.remotePort ?? 0;
      request.setEncoding('latin1').on('data', (chunk: string) => (body += chunk));
      request.on('error', () => undefined);
      request.on('end', () => {
        const text = told(request, body);
        this.seen.set(peer, [...(this.seen.get(peer) ?? []), text]);
        response.end(Buffer.from(text).toString('base64'));
      });
    });
    // A port may have been another's before.
    this.server.on('connection', ({ remotePort = 0 }) => this.seen.delete(remotePort));
    this.server.on('clientError', (error: Error & { code?: string; rawPacket?: Buffer }, socket) => {
      // Bytes behind a request that closes are nobody's.
      if (error.code === 'HPE_CLOSED_CONNECTION') {
        socket.end();
        return;
      }
      const isBeyond = error.code === 'HPE_INVALID_METHOD' || (error.code === 'HPE_INVALID_URL' && error.rawPacket?.includes(0x80));
      socket.end(isBeyond ? beyondProxy : refusalByNode);
    });
  }

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** What it sees of these bytes itself: it reads ahead, so its answers do not tell. */
  async read(pieces: readonly string[]): Promise<Reading> {
    const { text, from, ended } = await send(this.port, pieces);
    const requests = this.seen.get(from) ?? [];
    this.seen.delete(from);
    return { requests, verdict: verdictOf(text, ended) };
  }
}

/** What it sees of these bytes through a proxy, which answers each request before it reads the next. */
export async function readThrough(port: number, pieces: readonly string[]): Promise<Reading> {
  const { text, ended } = await send(port, pieces);
  const requests = text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer.startsWith('HTTP/1.1 200'))
    .map((answer) => Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'base64').toString());
  return { requests, verdict: text.includes('X-Refused-By: node') ? 'left to the pod to refuse' : verdictOf(text, ended) };
}

function verdictOf(text: string, ended: boolean): Reading['verdict'] {
  if (text.includes(beyondProxy)) return 'beyond a proxy';
  if (/HTTP\/1\.1 4\d\d /.test(text)) return 'refused';
  return ended ? 'all read' : 'wants more';
}

async function send(port: number, pieces: readonly string[]): Promise<{ text: string; from: number; ended: boolean }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const from = socket.localPort ?? 0;
  let text = '';
  const ended = new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), patienceMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    socket.on('data', (bytes) => (text += bytes.toString('latin1')));
    socket.on('error', end).on('end', end).on('close', end);
  });
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    // So that the pieces are read one by one.
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const hasEnded = await ended;
  socket.destroy();
  return { text, from, ended: hasEnded };
}
