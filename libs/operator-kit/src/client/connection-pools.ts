import { Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { TlsIdentity } from './credential';

/** The part of an undici dispatcher that we use. */
export interface ConnectionPool {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  /** Lets running requests end. */
  close(): Promise<void>;
  /** Cuts running requests off. */
  destroy(): Promise<void>;
}

export interface PoolSettings {
  origin: string;
  /** null: as many as there are requests at once. */
  connections: number | null;
  tls: TlsIdentity;
  serverName?: string;
  insecureSkipTlsVerify?: boolean;
  proxyUrl?: string;
}

export type PoolFactory = (settings: PoolSettings) => ConnectionPool;

/** API servers close idle connections after minutes, and a new TLS handshake costs more than many requests. */
const keepAliveTimeout = 55_000;
const probeAfterMs = 30_000;

export const undiciPool: PoolFactory = ({ origin, connections, tls, serverName, insecureSkipTlsVerify, proxyUrl }) => {
  const connectTls = {
    ...tls,
    ...(serverName !== undefined && { servername: serverName }),
    ...(insecureSkipTlsVerify === true && { rejectUnauthorized: false }),
  };
  // The transport has its own limit for a whole call, kept by the injected clock.
  const common = { connections, keepAliveTimeout, headersTimeout: 0, bodyTimeout: 0, allowH2: false };
  if (proxyUrl) return new ProxyAgent({ ...common, uri: proxyUrl, requestTls: connectTls });
  return new Pool(origin, { ...common, connect: { ...connectTls, keepAlive: true, keepAliveInitialDelay: probeAfterMs } });
};

export type PoolUse = 'requests' | 'streams';

/**
 * The connections of one client to one server with one credential.
 *
 * Requests share one keep-alive pool. Watches have their own without a limit, since each occupies a connection for minutes and would starve requests.
 * Connections are bound to the client certificate they were opened with: another one means new pools, and the old connections close when their requests end.
 */
export class ConnectionPools {
  private tls: TlsIdentity | undefined;
  private current: Partial<Record<PoolUse, ConnectionPool>> = {};
  private readonly retiring = new Set<ConnectionPool>();
  private closed = false;

  constructor(
    private readonly settings: Omit<PoolSettings, 'tls'>,
    private readonly create: PoolFactory,
  ) {}

  /** @throws when closed */
  for(use: PoolUse, tls: TlsIdentity): ConnectionPool {
    if (this.closed) throw new Error('the client is closed');
    if (this.tls !== tls) this.retireCurrent();
    this.tls = tls;
    return (this.current[use] ??= this.create({
      ...this.settings,
      tls,
      connections: use === 'requests' ? this.settings.connections : null,
    }));
  }

  /** Cuts off what is running and leaves no socket open. */
  async close(): Promise<void> {
    this.closed = true;
    const pools = [...Object.values(this.current), ...this.retiring];
    this.current = {};
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private retireCurrent(): void {
    for (const pool of Object.values(this.current)) {
      this.retiring.add(pool);
      pool.close().then(
        () => this.retiring.delete(pool),
        () => this.retiring.delete(pool),
      );
    }
    this.current = {};
  }
}
