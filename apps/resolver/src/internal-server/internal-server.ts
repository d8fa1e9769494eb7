import type { Clock, Logger } from '@elasti/operator-kit';
import { LimitedServer, type ServerLimits } from '@elasti/operator-kit/program';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { AddressInfo } from 'node:net';

const limits: ServerLimits = { maxConnections: 1_024, headersTimeoutMs: 10_000, requestTimeoutMs: 15_000, keepAliveMs: 75_000 };
const closeGraceMs = 1_000;

/**
 * The resolver's internal port: probes, metrics, and what the operator asks.
 *
 * Answers through the whole drain, as operators ask draining resolvers what still goes through them.
 */
export class InternalServer implements OnApplicationShutdown {
  private server: LimitedServer | undefined;
  private listening: AddressInfo | undefined;

  constructor(
    private readonly adapter: Pick<HttpAdapterHost, 'httpAdapter'>,
    private readonly at: { readonly port: number; readonly host?: string },
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** @throws when the port is taken */
  async open(): Promise<void> {
    const { port, host } = this.at;
    const server = new LimitedServer('internal port', this.adapter.httpAdapter.getInstance(), limits, this.clock, this.logger);
    this.listening = await server.open(port, host);
    this.server = server;
    this.logger.info('listening', { port: this.listening.port });
  }

  /** Once open. */
  get address(): AddressInfo | undefined {
    return this.listening;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close(closeGraceMs);
  }
}
