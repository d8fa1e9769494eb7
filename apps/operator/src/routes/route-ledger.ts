import { resolverPorts } from '@elasti/api';
import type { Clock, Logger } from '@elasti/operator-kit';
import { KnownShards, type ShardCache } from './known-shards';
import type { PortRange } from './port-range';
import type { Route, RouteGrant, WantedPort } from './route';
import { decideChange, type RouteChange, RouteWriter } from './route-writer';
import { type ShardAccess, ShardOps } from './shard.ops';

export interface RouteLedgerDependencies {
  readonly kube: ShardAccess;
  readonly routeShards: ShardCache;
  readonly namespace: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * What the statuses of all ElastiServices say: when the ConfigMaps are lost, nobody else is given one of these ports while its owner may still come
   * for it. Never believed against a record.
   */
  readonly rememberedRoutes?: () => Iterable<Route>;
  /** Default: all that the resolvers listen on. */
  readonly range?: PortRange;
}

/**
 * Which resolver port each port of each Service has, kept in ConfigMaps that outlive this process.
 *
 * A resolver port is never in use by two Services, and a Service's port keeps the one it has for as long as it wants it, whatever other leaders write at the
 * same time. What is asked for and known already costs no request; other changes are written together, and each caller is told when its own is accepted.
 * Only the leader calls it, with signals that fire when the lead is lost: after that nothing is written.
 */
export class RouteLedger {
  private readonly known: KnownShards;
  private readonly writer: RouteWriter;
  private readonly clock: Clock;

  constructor({
    kube,
    routeShards,
    namespace,
    clock,
    logger,
    rememberedRoutes = () => [],
    range = resolverPorts,
  }: RouteLedgerDependencies) {
    this.clock = clock;
    this.known = new KnownShards(routeShards, logger, range);
    this.writer = new RouteWriter(this.known, new ShardOps(kube, namespace, range), clock, rememberedRoutes);
  }

  /**
   * Gives these ports of a Service their resolver ports and frees all others it had. `remembered` is where they were, if a status says so:
   * followed where the ledger knows nothing and nobody else has the port.
   *
   * @throws ConflictError when others are always quicker; any failure of the API server. Nothing is lost then: ask again.
   */
  ensure(
    namespace: string,
    service: string,
    ports: readonly WantedPort[],
    signal: AbortSignal,
    remembered: readonly Route[] = [],
  ): Promise<RouteGrant> {
    return this.change({ kind: 'ensure', owner: { namespace, service }, ports, remembered }, signal);
  }

  /** Frees all ports of a Service; nobody else gets one for an hour. What a lagging cache hides is left to `releaseUnclaimed`. */
  async release(namespace: string, service: string, signal: AbortSignal): Promise<void> {
    await this.change({ kind: 'ensure', owner: { namespace, service }, ports: [], remembered: [] }, signal);
  }

  /** Frees the ports of Services that nobody claims, because no operator ran when their last ElastiService went. */
  async releaseUnclaimed(isClaimed: (namespace: string, service: string) => boolean, signal: AbortSignal): Promise<void> {
    await this.change({ kind: 'release-unclaimed', isClaimed }, signal);
  }

  private async change(change: RouteChange, signal: AbortSignal): Promise<RouteGrant> {
    signal.throwIfAborted();
    this.known.refresh();
    const { grant, changes } = decideChange(this.known.book, change, this.clock.now());
    return changes.size === 0 && !this.known.hasLost ? grant : this.writer.submit(change, signal);
  }
}
