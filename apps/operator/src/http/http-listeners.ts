import type { Clock, Logger } from '@elasti/operator-kit';
import { LimitedServer, type ServerLimits } from '@elasti/operator-kit/program';
import type { OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenOptions {
  /** Every route; 0 lets the system choose. */
  readonly port: number;
  /** The probes alone; 0 lets the system choose. */
  readonly probePort: number;
  /** Default: every interface. */
  readonly host?: string;
}

export interface ListenAddresses {
  readonly api: AddressInfo;
  readonly probes: AddressInfo;
}

const times = { headersTimeoutMs: 10_000, requestTimeoutMs: 15_000, keepAliveMs: 75_000 };
/** More than the wakes that may wait, each of which is a connection. */
const apiLimits: ServerLimits = { ...times, maxConnections: 4_096 };
const probeLimits: ServerLimits = { ...times, maxConnections: 64 };
/** For what is in flight, from the moment the application stops; wakes are cut off by themselves before. */
const stopGraceMs = 4_000;
/** However long the controllers took to stop. */
const leastCloseGraceMs = 500;

const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * The application's two ports: one with every route, one with nothing but the probes, which a NetworkPolicy may open to others.
 *
 * Both close after the controllers have stopped and before the client of the API server does, so what is in flight is still answered.
 */
export class HttpListeners implements OnModuleDestroy, OnApplicationShutdown {
  private servers: LimitedServer[] = [];
  private stoppingSinceMs?: number;

  constructor(
    private readonly host: Pick<HttpAdapterHost, 'httpAdapter'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** @throws when a port is taken; then neither is open */
  async open({ port, probePort, host }: ListenOptions): Promise<ListenAddresses> {
    const application: RequestListener = this.host.httpAdapter.getInstance();
    const api = new LimitedServer('operator port', application, apiLimits, this.clock, this.logger);
    const probes = new LimitedServer('probe port', probesOnly(application), probeLimits, this.clock, this.logger);
    this.servers = [api, probes];
    try {
      const addresses = { api: await api.open(port, host), probes: await probes.open(probePort, host) };
      this.logger.info('listening', { port: addresses.api.port, probePort: addresses.probes.port });
      return addresses;
    } catch (error) {
      await this.close(0);
      throw error;
    }
  }

  onModuleDestroy(): void {
    this.stoppingSinceMs = this.clock.monotonic();
  }

  async onApplicationShutdown(): Promise<void> {
    const nowMs = this.clock.monotonic();
    await this.close(Math.max(leastCloseGraceMs, (this.stoppingSinceMs ?? nowMs) + stopGraceMs - nowMs));
  }

  private async close(graceMs: number): Promise<void> {
    await Promise.all(this.servers.map((server) => server.close(graceMs)));
  }
}

function probesOnly(application: RequestListener): RequestListener {
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (probePaths.has(path)) return application(request, response);
    const body = JSON.stringify({ message: 'this port has probes only: ask for GET /healthz or GET /readyz' });
    response.writeHead(404, { 'content-type': 'application/json; charset=utf-8', connection: 'close' }).end(body);
  };
}
