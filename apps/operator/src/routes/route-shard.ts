import type { ConfigMap, Frozen } from '@elasti/operator-kit';
import { routesLabel } from '../names';
import { resolverPorts, shardName, shardOf } from './port-range';
import type { PortRecord } from './route';

/** A line of a route ConfigMap that says nothing usable; it is skipped, and its port is not handed out. */
export interface BrokenRecord {
  readonly shard: string;
  readonly key: string;
  readonly problem: string;
}

export interface ShardContent {
  readonly records: ReadonlyMap<number, PortRecord>;
  readonly broken: readonly BrokenRecord[];
}

/** Reads a ConfigMap of routes: one key per resolver port, so that one ConfigMap cannot say two things of one port. */
export function parseShard(configMap: Frozen<ConfigMap>): ShardContent {
  const shard = configMap.metadata.name ?? '';
  const records = new Map<number, PortRecord>();
  const broken: BrokenRecord[] = [];
  for (const [key, text] of Object.entries(configMap.data ?? {})) {
    const record = parseRecord(shard, key, text);
    if (typeof record === 'string') broken.push({ shard, key, problem: record });
    else records.set(Number(key), record);
  }
  return { records, broken };
}

export function buildShard(namespace: string, shard: number, records: ReadonlyMap<number, PortRecord>): ConfigMap {
  const inOrder = [...records].sort(([a], [b]) => a - b);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: shardName(shard), labels: { [routesLabel]: 'true' } },
    data: Object.fromEntries(inOrder.map(([port, record]) => [String(port), formatRecord(record)])),
  };
}

function formatRecord({ namespace, service, port, freedAtMs }: PortRecord): string {
  const freedAt = freedAtMs === undefined ? {} : { freedAt: new Date(freedAtMs).toISOString() };
  return JSON.stringify({ namespace, service, port, ...freedAt });
}

function parseRecord(shard: string, key: string, text: string): PortRecord | string {
  const resolverPort = Number(key);
  const { first, last } = resolverPorts;
  if (!/^\d+$/.test(key) || resolverPort < first || resolverPort > last) return `the key must be a port from ${first} to ${last}`;
  if (shardName(shardOf(resolverPort)) !== shard) return `port ${key} belongs into ${shardName(shardOf(resolverPort))}`;

  const value = parseJson(text);
  const { namespace, service, port, freedAt } = value ?? {};
  if (typeof namespace !== 'string' || typeof service !== 'string' || !Number.isInteger(port))
    return 'namespace, service and port are needed';
  if (freedAt === undefined) return { namespace, service, port: Number(port) };
  const freedAtMs = typeof freedAt === 'string' ? Date.parse(freedAt) : Number.NaN;
  return Number.isNaN(freedAtMs) ? 'freedAt must be a time' : { namespace, service, port: Number(port), freedAtMs };
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
