import { type RouteRecord, routesLabel, shardName } from '@elasti/api';
import { ConfigMap, type Frozen, type KubeReader, type KubeWriter } from '@elasti/operator-kit';
import { fieldManager } from '../names';
import { type PortRange, shardsOf } from './port-range';
import { amendShard, buildShard, claimShard } from './route-shard';

/** What the ledger needs of a client. */
export type ShardAccess = Pick<KubeReader, 'list' | 'find'> & Pick<KubeWriter, 'create' | 'replace'>;

/**
 * Reads and writes the ConfigMaps of routes at the API server, never from a cache.
 *
 * No write goes through unless the ConfigMap is as it was when read: ConflictError or NotFoundError otherwise, and AlreadyExistsError for one that was not there.
 */
export class ShardOps {
  constructor(
    private readonly kube: ShardAccess,
    private readonly namespace: string,
    private readonly range: PortRange,
  ) {}

  /** Every ConfigMap that says it holds routes, and those of our names even when they lost the label that says so. */
  async readAll(signal: AbortSignal): Promise<ConfigMap[]> {
    const { namespace } = this;
    const { items } = await this.kube.list(ConfigMap, { namespace, labelSelector: `${routesLabel}=true`, signal });
    const names = new Set(items.map(({ metadata }) => metadata.name));
    const unlisted = shardsOf(this.range)
      .map(shardName)
      .filter((name) => !names.has(name));
    const found = await Promise.all(unlisted.map((name) => this.kube.find(ConfigMap, { namespace, name }, { signal })));
    return [...items, ...found.filter((object) => object !== undefined)];
  }

  /** A version of its own for this writer, or a new, empty ConfigMap when there is none. */
  claim(shard: number, current: Frozen<ConfigMap> | undefined, writer: string, signal: AbortSignal): Promise<ConfigMap> {
    return current
      ? this.kube.replace(ConfigMap, claimShard(current, writer), { signal, fieldManager })
      : this.kube.create(ConfigMap, claimShard(buildShard(this.namespace, shard, new Map()), writer), { signal, fieldManager });
  }

  amend(current: Frozen<ConfigMap>, changes: ReadonlyMap<number, RouteRecord>, signal: AbortSignal): Promise<ConfigMap> {
    return this.kube.replace(ConfigMap, amendShard(current, changes), { signal, fieldManager });
  }
}
