import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

import type { ServicePort } from '../exchange';
import { acceptConnections } from './accept';
import type { Forwarder } from './forwarder';

/** The kernel cuts this down to its own limit. */
const BACKLOG = 8192;

export interface ListenAt {
  readonly port: number;
  /** All addresses of both families by default. */
  readonly host?: string;
}

/** Whom the connections of a port are for, and whether their servers speak first. */
export interface PortIdentity {
  readonly target: ServicePort | undefined;
  readonly speaksFirst?: 'server';
}

/**
 * A port that feeds a forwarder.
 *
 * Closing stops new connections only; those that are open go on.
 */
export class ForwardingListener {
  private constructor(private readonly server: Server) {}

  /**
   * An identity that can change is asked for with every connection; `undefined` turns it away.
   *
   * @throws the error of the operating system when the port cannot be had.
   */
  static async open(
    forwarder: Forwarder,
    at: ListenAt,
    identity: PortIdentity | (() => PortIdentity | undefined),
  ): Promise<ForwardingListener> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const listening = once(server, 'listening');
    server.listen({ port: at.port, host: at.host, backlog: BACKLOG });
    await listening;
    const identityOf = typeof identity === 'function' ? identity : () => identity;
    acceptConnections(server, (source) => {
      const now = identityOf();
      if (!now) forwarder.refuse(source);
      else if (now.speaksFirst && now.target) forwarder.acceptRaw(source, now.target);
      else forwarder.accept(source, now.target);
    });
    return new ForwardingListener(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    await closed;
  }
}
