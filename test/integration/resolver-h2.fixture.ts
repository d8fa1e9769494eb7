import { once } from 'node:events';
import { connect, constants, createServer } from 'node:http2';
import type {
  ClientHttp2Session,
  Http2Server,
  Settings as Http2Settings,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';

import { H2Relay } from '../../apps/resolver/src/h2';
import { Resolver, until } from './resolver-http1.fixture';
import type { ResolverOptions } from './resolver-http1.fixture';

/** A resolver that relays HTTP/2. */
export type H2Resolver = Resolver;

export type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/** A pod that is Node's own HTTP/2 server. */
export class H2Pod {
  readonly sessions = new Set<ServerHttp2Session>();
  readonly heads: IncomingHttpHeaders[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Http2Server,
    readonly podKey: string,
  ) {}

  static async start(onStream: OnStream, podKey = 'pod-a', settings: Http2Settings = {}): Promise<H2Pod> {
    const server = createServer({ settings });
    const pod = new H2Pod(server, podKey);
    server.on('connection', (socket: Socket) => pod.sockets.add(socket));
    server.on('session', (session) => {
      pod.sessions.add(session);
      session.on('error', () => undefined);
      session.on('close', () => pod.sessions.delete(session));
    });
    server.on('stream', (stream, headers) => {
      pod.heads.push(headers);
      stream.on('error', () => undefined);
      onStream(stream, headers);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return pod;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** As when the process is killed. */
  die(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }
}

export interface H2Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A client that is Node's own. */
export class H2Client {
  goaways: number[] = [];
  closed = false;

  private constructor(readonly session: ClientHttp2Session) {
    session.on('error', () => undefined);
    session.on('goaway', (code: number) => this.goaways.push(code));
    session.on('close', () => (this.closed = true));
  }

  static connect(port: number, settings: Record<string, unknown> = {}): H2Client {
    return new H2Client(connect(`http://127.0.0.1:${port}`, { settings }));
  }

  /** Rejects with the code of the stream's error. */
  ask(headers: OutgoingHttpHeaders = {}, body?: Buffer | string | Readable): Promise<H2Answer> {
    return new Promise((resolve, reject) => {
      const stream = this.session.request({ ':path': '/', ...headers }, { endStream: body === undefined });
      const chunks: Buffer[] = [];
      let head: IncomingHttpHeaders & { ':status'?: number } = {};
      let trailers: IncomingHttpHeaders = {};
      stream.on('response', (received) => {
        head = received;
      });
      stream.on('trailers', (received: IncomingHttpHeaders) => {
        trailers = received;
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', () => undefined);
      stream.on('close', () => {
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) reject(new Error(`reset with ${stream.rstCode}`));
        else if (head[':status'] === undefined) reject(new Error('no answer'));
        else resolve({ status: head[':status'], headers: head, trailers, body: Buffer.concat(chunks) });
      });
      if (body instanceof Readable) body.pipe(stream);
      else if (body !== undefined) stream.end(body);
    });
  }

  stop(): void {
    this.session.destroy();
  }
}

/** Everything a test starts here is gone after it; what the resolver left open fails it. */
export class H2Scene {
  private readonly others: { stop(): Promise<void> | void }[] = [];
  private readonly resolvers: H2Resolver[] = [];

  add<T extends { stop(): Promise<void> | void }>(one: T): T {
    this.others.push(one);
    return one;
  }

  async resolver(options?: ResolverOptions): Promise<H2Resolver> {
    const resolver = await Resolver.start({ ...options, h2: new H2Relay() });
    this.resolvers.push(resolver);
    return resolver;
  }

  async pod(onStream: OnStream = answerOk, podKey?: string, settings?: Http2Settings): Promise<H2Pod> {
    return this.add(await H2Pod.start(onStream, podKey, settings));
  }

  client(resolver: H2Resolver, settings?: Record<string, unknown>): H2Client {
    return this.add(H2Client.connect(resolver.port, settings));
  }

  async stop(): Promise<void> {
    for (const one of this.others.splice(0).reverse()) await one.stop();
    for (const resolver of this.resolvers.splice(0)) {
      await until('the end of all exchanges', () => resolver.tally.open === 0);
      await resolver.stop();
      const { gate, tally, forwarder } = resolver;
      expect({ leases: gate.openLeases, exchanges: tally.open, clients: forwarder.openConnections }).toEqual({
        leases: 0,
        exchanges: 0,
        clients: 0,
      });
    }
  }
}

export function answerOk(stream: ServerHttp2Stream): void {
  stream.respond({ ':status': 200 });
  stream.end('ok');
}
