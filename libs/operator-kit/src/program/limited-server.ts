import type { Clock } from '../clock';
import type { Logger } from '../logging';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SparseLog } from './sparse-log';

export interface ServerLimits {
  readonly maxConnections: number;
  /** For a client to send its headers in. */
  readonly headersTimeoutMs: number;
  /** For a client to send a whole request in. */
  readonly requestTimeoutMs: number;
  /** How long a connection may wait for its next request. */
  readonly keepAliveMs: number;
}

/**
 * One HTTP port with bounds: of connections, and of the time a slow client may take.
 *
 * `close` lets requests in flight be answered, for as long as it is given, and leaves no socket behind.
 */
export class LimitedServer {
  private readonly server: Server;
  private state: 'open' | 'closing' = 'open';

  constructor(
    private readonly name: string,
    listener: RequestListener,
    { maxConnections, headersTimeoutMs, requestTimeoutMs, keepAliveMs }: ServerLimits,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    const options = { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveMs };
    // Node looks for slow clients only this often.
    const connectionsCheckingInterval = Math.min(headersTimeoutMs / 2, 5_000);
    this.server = createServer({ ...options, connectionsCheckingInterval }, (request, response) => {
      response.once('close', () => this.dropIdleWhenClosing());
      if (this.state === 'closing') response.setHeader('connection', 'close');
      listener(request, response);
    });
    this.server.maxConnections = maxConnections;
    const drops = new SparseLog(logger, clock, 60_000);
    this.server.on('drop', () => drops.warn('an http listener is full and turns connections away', { listener: name, maxConnections }));
  }

  async open(port: number, host: string | undefined): Promise<AddressInfo> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    this.server.once('error', reject);
    this.server.listen({ port, host }, () => resolve(undefined));
    try {
      await promise;
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`cannot listen on port ${port} for the ${this.name}: ${why}; free it or set another port`, { cause });
    } finally {
      this.server.off('error', reject);
    }
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error(`the ${this.name} has no port`);
    return address;
  }

  async close(graceMs: number): Promise<void> {
    this.state = 'closing';
    if (!this.server.listening) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    const timer = this.clock.after(graceMs, () => this.server.closeAllConnections());
    await closed;
    timer.cancel();
  }

  /** A connection kept alive is idle only after its response is closed. */
  private dropIdleWhenClosing(): void {
    if (this.state === 'closing') setImmediate(() => this.server.closeIdleConnections());
  }
}
