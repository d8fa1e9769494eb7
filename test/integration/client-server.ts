import type { IncomingMessage, RequestListener, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server of a test's own making that knows its connections. */
export class RawServer {
  readonly sockets = new Set<Socket>();
  readonly requests: IncomingMessage[] = [];
  connections = 0;

  private constructor(
    readonly server: Server & Pick<HttpServer, 'closeAllConnections'>,
    private readonly scheme: 'http' | 'https',
  ) {
    server.on('connection', (socket: Socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  static async start(handler: RequestListener, tls?: TlsOptions): Promise<RawServer> {
    const recorded: RequestListener = (request, response) => {
      raw.requests.push(request);
      handler(request, response);
    };
    const raw = new RawServer(tls ? createTlsServer(tls, recorded) : createServer(recorded), tls ? 'https' : 'http');
    await new Promise<void>((resolve) => raw.server.listen(0, '127.0.0.1', resolve));
    return raw;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Certificates of tests are made out to `localhost`. */
  get url(): string {
    return this.scheme === 'https' ? `https://localhost:${this.port}` : `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export function answer(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Waits for a state that another process or socket brings about. */
export async function eventually(isTrue: () => boolean, withinMs = 5000): Promise<void> {
  const endMs = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > endMs) throw new Error(`not true within ${withinMs} ms: ${isTrue.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
