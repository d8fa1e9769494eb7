import type { ConfigMap, Frozen } from '@elasti/operator-kit';
import { routesLabel } from '../names';
import { resolverPorts, shardName, shardOf } from './port-range';
import type { PortRecord } from './route';

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
  readonly claim?: PortRecord;
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
    const resolverPort = parsePort(key);
    if (resolverPort === undefined) {
      broken.push({ shard, key, problem: `the key must be a port from ${resolverPorts.first} to ${resolverPorts.last}` });
      continue;
    }
    const record = parseRecord(text);
    const home = shardName(shardOf(resolverPort));
    if (typeof record === 'string') broken.push({ shard, key, resolverPort, problem: record });
    else if (home !== shard) broken.push({ shard, key, resolverPort, claim: record, problem: `port ${key} belongs into ${home}` });
    else records.set(resolverPort, record);
  }
  return { records, broken };
}

export function buildShard(namespace: string, shard: number, records: ReadonlyMap<number, PortRecord>): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: shardName(shard), labels: { [routesLabel]: 'true' } },
    data: formatRecords(records),
  };
}

/** The shard with these records written over the old ones; everything else in it stays, lines that nobody understands too. */
export function amendShard(shard: Frozen<ConfigMap>, changes: ReadonlyMap<number, PortRecord>): ConfigMap {
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

function formatRecords(records: ReadonlyMap<number, PortRecord>): Record<string, string> {
  const inOrder = [...records].sort(([a], [b]) => a - b);
  return Object.fromEntries(inOrder.map(([port, record]) => [String(port), formatRecord(record)]));
}

function formatRecord({ namespace, service, port, freedAtMs }: PortRecord): string {
  const freedAt = freedAtMs === undefined ? {} : { freedAt: new Date(freedAtMs).toISOString() };
  return JSON.stringify({ namespace, service, port, ...freedAt });
}

/** A leading zero would let one ConfigMap name one port twice. */
function parsePort(key: string): number | undefined {
  const port = Number(key);
  const { first, last } = resolverPorts;
  return Number.isInteger(port) && String(port) === key && port >= first && port <= last ? port : undefined;
}

function parseRecord(text: string): PortRecord | string {
  const { namespace, service, port, freedAt } = parseJson(text) ?? {};
  if (!isName(namespace) || !isName(service) || !isPort(port)) return 'namespace, service and a port from 1 to 65535 are needed';
  if (freedAt === undefined) return { namespace, service, port };
  const freedAtMs = typeof freedAt === 'string' ? Date.parse(freedAt) : Number.NaN;
  return Number.isNaN(freedAtMs) ? 'freedAt must be a time' : { namespace, service, port, freedAtMs };
}

/** Keys are glued together from names, so none may hold a slash. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value);
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}

function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
