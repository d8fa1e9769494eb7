import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '../logging';

export interface ListenOptions {
  /** 0 lets the system choose; see the manager's `addresses`. */
  port: number;
  /** Default: every interface. */
  host?: string;
}

export interface Answer {
  status: number;
  contentType: string;
  body: string;
}

/** Undefined: nothing of that path. */
export type Route = (url: URL) => Promise<Answer | undefined>;

const text = 'text/plain; charset=utf-8';

/**
 * A small read-only HTTP server for probes and metrics.
 *
 * Answers GET and HEAD from the first route that knows the path; never reads a body, never keeps a connection.
 */
export class HttpListener {
  private readonly server: Server = createServer((request, response) => void this.answer(request, response));
  private readonly routes: Route[] = [];
  private starting: Promise<void> = Promise.resolve();

  constructor(
    readonly name: string,
    private readonly options: ListenOptions,
    private readonly logger: Logger,
  ) {
    this.server.headersTimeout = this.server.requestTimeout = 5_000;
  }

  add(route: Route): void {
    this.routes.push(route);
  }

  get address(): AddressInfo | undefined {
    const address = this.server.address();
    return address !== null && typeof address === 'object' ? address : undefined;
  }

  start(): Promise<void> {
    this.starting = this.listen();
    return this.starting;
  }

  async stop(): Promise<void> {
    // A start that was cut short goes on looking up its host, and would listen later.
    await this.starting.catch(() => undefined);
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private listen(): Promise<void> {
    const { port, host } = this.options;
    return new Promise((resolve, reject) => {
      const onError = (cause: Error) =>
        reject(new Error(`cannot listen on ${host ?? '*'}:${port}: ${cause.message}; give ${this.name} another port`, { cause }));
      this.server.once('error', onError);
      this.server.listen({ port, host }, () => {
        this.server.off('error', onError);
        this.server.on('error', (error) => this.logger.warn('an http listener had trouble', { listener: this.name, error }));
        resolve();
      });
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, body } = await this.route(request).catch((error: unknown) => {
      this.logger.error('an http listener could not answer', { listener: this.name, error });
      return { status: 500, contentType: text, body: 'internal error\n' };
    });
    const headers = {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      connection: 'close',
    };
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  }

  private async route(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, contentType: text, body: 'only GET and HEAD\n' };

    const url = URL.parse(request.url ?? '/', 'http://localhost');
    for (const route of url ? this.routes : []) {
      const answer = url && (await route(url));
      if (answer) return answer;
    }
    return { status: 404, contentType: text, body: 'not found\n' };
  }
}
