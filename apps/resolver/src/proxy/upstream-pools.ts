import type { Clock } from '@elasti/operator-kit';

import type { PodLease } from '../exchange';
import type { Deadlines } from './deadlines';
import type { Links } from './links';
import type { ProxySettings } from './proxy-settings';
import { FRESH_UPSTREAM_MS } from './proxy-settings';
import { UpstreamConnection } from './upstream-connection';

/** What connections to pods share. */
export interface UpstreamShared {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly links: Links;
  readonly settings: ProxySettings;
}

/** The connections to one pod. */
export interface PodPool {
  readonly podKey: string;
  /** Latest last, which is taken first: the oldest are then closed for being idle. */
  readonly idle: UpstreamConnection[];
  /** Connections that exist, busy or idle. */
  open: number;
  /** The pod has left: nothing is kept any more. */
  gone: boolean;
}

/** Beyond the limits, altogether: all of them may end in the same moment. */
const SPARE_LIMIT = 4_096;

/** Whether a request may meet a connection that its pod is about to close. */
export type Freshness = 'any' | 'fresh';

/**
 * The connections to all pods, kept between exchanges within the limits of the settings.
 *
 * A pod that has left is forgotten at once; exchanges that are under way with it go on to their end.
 */
export class UpstreamPools {
  private readonly pods = new Map<string, PodPool>();
  private idleCount = 0;

  constructor(readonly shared: UpstreamShared) {}

  /** A kept connection to the leased pod, at that very address and port, if there is one. */
  take(lease: PodLease, freshness: Freshness): UpstreamConnection | undefined {
    const idle = this.pods.get(lease.podKey)?.idle;
    if (idle === undefined) return undefined;
    for (let at = idle.length - 1; at >= 0; at--) {
      const connection = idle[at];
      if (connection?.port !== lease.port || connection.address !== lease.address) continue;
      // Whatever it says was not asked for, and it will be closed for it.
      if (connection.link.hasUnread) continue;
      if (freshness === 'fresh' && this.shared.clock.monotonic() - connection.idleSinceMs > FRESH_UPSTREAM_MS) return undefined;
      // Nearly always the last one, and `splice` makes an array.
      if (at === idle.length - 1) idle.pop();
      else idle.splice(at, 1);
      this.idleCount--;
      return connection;
    }
    return undefined;
  }

  dial(lease: PodLease): UpstreamConnection {
    let pool = this.pods.get(lease.podKey);
    if (pool === undefined) {
      pool = { podKey: lease.podKey, idle: [], open: 0, gone: false };
      this.pods.set(lease.podKey, pool);
    }
    pool.open++;
    return new UpstreamConnection(lease, pool, this);
  }

  /**
   * Called by a connection whose exchange is over.
   *
   * Beyond the limits some are kept, but only for a moment. Not closed at once: where more clients than that ask in turns, each request would need a new
   * connection, which takes twice the processor time.
   */
  keep(connection: UpstreamConnection): void {
    const { pool } = connection;
    const { settings, deadlines } = this.shared;
    if (pool.gone || this.idleCount >= settings.maxIdleUpstreams + SPARE_LIMIT) {
      connection.destroy();
      return;
    }
    if (pool.idle.length >= settings.maxIdlePerPod || this.idleCount >= settings.maxIdleUpstreams) {
      connection.expiresAtTick = Math.min(connection.expiresAtTick, deadlines.after(settings.spareUpstreamMs));
    }
    pool.idle.push(connection);
    this.idleCount++;
  }

  /** Called by a connection that no longer exists for HTTP. */
  forget(connection: UpstreamConnection): void {
    const { pool } = connection;
    const at = pool.idle.indexOf(connection);
    if (at >= 0) {
      pool.idle.splice(at, 1);
      this.idleCount--;
    }
    pool.open--;
    if (pool.open === 0 && this.pods.get(pool.podKey) === pool) this.pods.delete(pool.podKey);
  }

  /** The pod has left the service. */
  closePod(podKey: string): void {
    const pool = this.pods.get(podKey);
    if (pool === undefined) return;
    pool.gone = true;
    this.pods.delete(podKey);
    for (const connection of [...pool.idle]) connection.destroy();
  }

  closeAll(): void {
    for (const podKey of [...this.pods.keys()]) this.closePod(podKey);
  }

  get idleConnections(): number {
    return this.idleCount;
  }

  get openConnections(): number {
    let open = 0;
    for (const pool of this.pods.values()) open += pool.open;
    return open;
  }
}
