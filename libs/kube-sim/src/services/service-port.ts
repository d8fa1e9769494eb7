import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { type ServiceAddress } from '../kubelet';
import { type SimClock } from '../sim-clock';
import { type Backend } from './endpoint-choice';
import { relay } from './relay';

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

export interface ServicePortParts {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: SimClock;
  /** Asked anew for each connection. */
  readonly backends: () => readonly Backend[];
  /** The machine does not give the address; said once for each cause. It is tried again all the same. */
  readonly onRefused: (error: Error) => void;
}

/**
 * Listens where a Service's port is and carries each connection to one of the backends there are at its beginning, in turn.
 *
 * Without a backend a connection is reset at once. After close() no new one is taken, those that are open go on; after end() none
 * is left.
 */
export class ServicePort {
  /** Fulfilled when listening was tried once. */
  readonly tried: Promise<void>;
  /** Fulfilled after close(), when the last connection has ended. */
  readonly drained: Promise<void>;
  private onDrained: () => void = () => undefined;
  private server?: Server;
  private readonly sockets = new Set<Socket>();
  private cancelRetry: () => void = () => undefined;
  private readonly causesTold = new Set<string>();
  private failures = 0;
  private turn = 0;
  private isClosed = false;

  constructor(private readonly parts: ServicePortParts) {
    this.drained = new Promise((resolve) => {
      this.onDrained = resolve;
    });
    this.tried = this.listen();
  }

  /** Undefined while it does not listen. */
  get address(): ServiceAddress | undefined {
    const bound = this.server?.address() as AddressInfo | null | undefined;
    return bound ? { host: bound.address, port: bound.port } : undefined;
  }

  close(): void {
    this.isClosed = true;
    this.cancelRetry();
    this.server?.close();
    if (this.sockets.size === 0) this.onDrained();
  }

  /** Fulfilled when nothing is left of it. */
  async end(): Promise<void> {
    this.close();
    await this.tried;
    for (const socket of this.sockets) socket.destroy();
    await this.drained;
  }

  private listen(): Promise<void> {
    return new Promise((resolve) => {
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
        this.accept(client);
      });
      server.once('listening', () => {
        this.failures = 0;
        this.server = server;
        if (this.isClosed) server.close();
        resolve();
      });
      server.on('error', (error) => {
        // While it listens: too many open files and the like, which pass.
        if (this.server !== server) this.retry(error);
        resolve();
      });
      server.listen(this.parts.port, this.parts.host);
    });
  }

  private retry(error: NodeJS.ErrnoException): void {
    if (this.isClosed) return;
    const cause = error.code ?? error.message;
    if (!this.causesTold.has(cause)) this.parts.onRefused(error);
    this.causesTold.add(cause);
    this.cancelRetry = this.parts.clock.schedule(Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures++), () => {
      void this.listen();
    });
  }

  private accept(client: Socket): void {
    client.on('error', () => undefined);
    const backends = this.parts.backends();
    const backend = backends[this.turn++ % Math.max(1, backends.length)];
    if (!backend) {
      client.resetAndDestroy();
      return;
    }
    for (const socket of [client, relay(client, backend)]) {
      this.sockets.add(socket);
      socket.once('close', () => {
        this.sockets.delete(socket);
        if (this.isClosed && this.sockets.size === 0) this.onDrained();
      });
    }
  }
}
