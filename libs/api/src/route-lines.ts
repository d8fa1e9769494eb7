// The format of the route ConfigMaps, which the operator writes and the resolvers read: `elasti-routes-<n>` for every 2,500 ports, a key for each
// resolver port, so that one ConfigMap cannot say two things of one port, and in it a line of JSON.

/** Marks the ConfigMaps that hold routes, for the resolvers' watch. */
export const routesLabel = 'elasti.truefoundry.com/routes';

/** Where the resolvers listen: outside the ephemeral range of Linux, which begins at 32768. */
export const resolverPorts = { first: 20_000, last: 29_999 } as const;

/** Ports in one ConfigMap: with names of the greatest length it stays well below the megabyte that an object may have. */
export const portsPerShard = 2_500;

/** The ConfigMap that keeps the line of this port. */
export function shardOf(resolverPort: number): number {
  return Math.floor((resolverPort - resolverPorts.first) / portsPerShard);
}

export function shardName(shard: number): string {
  return `elasti-routes-${shard}`;
}

/** What is written about one resolver port: the Service's port that it is for. */
export interface RouteRecord {
  readonly namespace: string;
  readonly service: string;
  /** The Service's port number. */
  readonly port: number;
  /** The server greets first, so there are no first bytes to wait for and to tell the protocol by. Absent: the client does. */
  readonly speaksFirst?: 'server';
  /** When its Service stopped using it; absent while in use. A freed port keeps its line, so that nobody else gets it too soon. */
  readonly freedAtMs?: number;
}

/** A line as it was read. `stray`: in another ConfigMap than its port belongs into, so it is not served and only disputes the port. */
export type RouteLine =
  | { readonly kind: 'record'; readonly resolverPort: number; readonly record: RouteRecord; readonly place: 'home' | 'stray' }
  /** `resolverPort`: the port that it is about, where that can be told. */
  | { readonly kind: 'broken'; readonly resolverPort?: number; readonly problem: string };

/** Reads one line of the ConfigMap of this name. Fields that are not known are those of a later version, and left alone. */
export function parseRouteLine(configMap: string, key: string, text: string): RouteLine {
  const resolverPort = parsePort(key);
  if (resolverPort === undefined)
    return { kind: 'broken', problem: `the key must be a port from ${resolverPorts.first} to ${resolverPorts.last}` };
  const record = parseRecord(text);
  if (typeof record === 'string') return { kind: 'broken', resolverPort, problem: record };
  return { kind: 'record', resolverPort, record, place: configMap === shardName(shardOf(resolverPort)) ? 'home' : 'stray' };
}

export function formatRouteRecord({ namespace, service, port, speaksFirst, freedAtMs }: RouteRecord): string {
  const freedAt = freedAtMs === undefined ? undefined : new Date(freedAtMs).toISOString();
  return JSON.stringify({ namespace, service, port, speaksFirst, freedAt });
}

/** A leading zero would let one ConfigMap name one port twice. */
function parsePort(key: string): number | undefined {
  const port = Number(key);
  const { first, last } = resolverPorts;
  return Number.isInteger(port) && String(port) === key && port >= first && port <= last ? port : undefined;
}

function parseRecord(text: string): RouteRecord | string {
  const { namespace, service, port, speaksFirst, freedAt } = parseJson(text) ?? {};
  if (!isName(namespace) || !isName(service) || !isPort(port)) return 'namespace, service and a port from 1 to 65535 are needed';
  const record: RouteRecord = { namespace, service, port, ...(speaksFirst === 'server' && { speaksFirst }) };
  if (freedAt === undefined) return record;
  const freedAtMs = typeof freedAt === 'string' ? Date.parse(freedAt) : Number.NaN;
  return Number.isNaN(freedAtMs) ? 'freedAt must be a time' : { ...record, freedAtMs };
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
