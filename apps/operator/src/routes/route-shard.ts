import { formatRouteRecord, parseRouteLine, type RouteRecord, routesLabel, shardName, shardOf } from '@elasti/api';
import type { ConfigMap, Frozen } from '@elasti/operator-kit';

/** On a shard: the leadership that wrote last. Each puts its own on every shard before it decides anything, so that nobody else's older decision can be written any more. */
const writerAnnotation = 'elasti.truefoundry.com/routes-writer';

/** A line of a route ConfigMap that says nothing usable; it is left as it is, and its port is not handed out. */
export interface BrokenRecord {
  readonly shard: string;
  readonly key: string;
  readonly problem: string;
  /** The port that the line is about, where that can be told. */
  readonly resolverPort?: number;
  /** What it would say in its right place. */
  readonly claim?: RouteRecord;
}

export interface ShardContent {
  readonly records: ReadonlyMap<number, RouteRecord>;
  readonly broken: readonly BrokenRecord[];
}

/** Reads a ConfigMap of routes. */
export function parseShard(configMap: Frozen<ConfigMap>): ShardContent {
  const shard = configMap.metadata.name ?? '';
  const records = new Map<number, RouteRecord>();
  const broken: BrokenRecord[] = [];
  for (const [key, text] of Object.entries(configMap.data ?? {})) {
    const line = parseRouteLine(shard, key, text);
    if (line.kind === 'broken') {
      const { resolverPort, problem } = line;
      broken.push({ shard, key, problem, ...(resolverPort !== undefined && { resolverPort }) });
    } else if (line.place === 'stray') {
      const { resolverPort, record: claim } = line;
      broken.push({ shard, key, resolverPort, claim, problem: `port ${key} belongs into ${shardName(shardOf(resolverPort))}` });
    } else records.set(line.resolverPort, line.record);
  }
  return { records, broken };
}

export function buildShard(namespace: string, shard: number, records: ReadonlyMap<number, RouteRecord>): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: shardName(shard), labels: { [routesLabel]: 'true' } },
    data: formatRecords(records),
  };
}

/** The shard with these records written over the old ones; everything else in it stays, lines that nobody understands too. */
export function amendShard(shard: Frozen<ConfigMap>, changes: ReadonlyMap<number, RouteRecord>): ConfigMap {
  const amended = structuredClone(shard) as ConfigMap;
  amended.data = { ...amended.data, ...formatRecords(changes) };
  return amended;
}

/** The shard in the name of a writer, seen by the resolvers' watch whatever became of its labels. */
export function claimShard(shard: Frozen<ConfigMap>, writer: string): ConfigMap {
  const claimed = structuredClone(shard) as ConfigMap;
  claimed.metadata.labels = { ...claimed.metadata.labels, [routesLabel]: 'true' };
  claimed.metadata.annotations = { ...claimed.metadata.annotations, [writerAnnotation]: writer };
  return claimed;
}

function formatRecords(records: ReadonlyMap<number, RouteRecord>): Record<string, string> {
  const inOrder = [...records].sort(([a], [b]) => a - b);
  return Object.fromEntries(inOrder.map(([port, record]) => [String(port), formatRouteRecord(record)]));
}
