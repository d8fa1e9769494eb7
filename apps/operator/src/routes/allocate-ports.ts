import { type PortRange, resolverPorts } from './port-range';
import { formatRouteKey, type PortRecord, type Route, type RouteKey } from './route';

/** A freed port rests this long: whoever still sends to it must not reach another Service. */
export const restMs = 3_600_000;

export interface Allocation {
  /** The routes that the wanted ports have now. */
  readonly routes: readonly Route[];
  /** Records to write; those not named stay as they are. */
  readonly changes: ReadonlyMap<number, PortRecord>;
  /** Wanted, but the range is used up: these work on the shared port only. */
  readonly without: readonly RouteKey[];
}

/**
 * Gives every wanted port of one Service a resolver port, and frees the ones it no longer wants.
 *
 * A port that has one keeps it, also when it was freed and comes back within the rest. New ones get a port that nobody ever
 * had while there is one, then the one that has rested longest. `blocked` ports (broken or claimed twice) are never handed out.
 */
export function allocatePorts(
  records: ReadonlyMap<number, PortRecord>,
  service: Pick<RouteKey, 'namespace' | 'service'>,
  wantedPorts: readonly number[],
  nowMs: number,
  { blocked = new Set(), range = resolverPorts }: { blocked?: ReadonlySet<number>; range?: PortRange } = {},
): Allocation {
  const wanted = new Map(wantedPorts.map((port) => [formatRouteKey({ ...service, port }), { ...service, port }]));
  const changes = new Map<number, PortRecord>();
  const routes: Route[] = [];

  for (const [resolverPort, record] of ownRecords(records, service, blocked)) {
    const key = formatRouteKey(record);
    if (wanted.delete(key)) {
      routes.push({ ...service, port: record.port, resolverPort });
      if (record.freedAtMs !== undefined) changes.set(resolverPort, { ...service, port: record.port });
    } else if (record.freedAtMs === undefined) {
      changes.set(resolverPort, { ...record, freedAtMs: nowMs });
    }
  }

  const free = freePorts(new Map([...records, ...changes]), blocked, nowMs, range);
  const without: RouteKey[] = [];
  for (const key of wanted.values()) {
    const resolverPort = free.next().value;
    if (resolverPort === undefined) without.push(key);
    else {
      changes.set(resolverPort, key);
      routes.push({ ...key, resolverPort });
    }
  }
  return { routes, changes, without };
}

/** Those in use first, so that a port which was freed and claimed anew keeps its newest record. */
function ownRecords(
  records: ReadonlyMap<number, PortRecord>,
  { namespace, service }: Pick<RouteKey, 'namespace' | 'service'>,
  blocked: ReadonlySet<number>,
): [number, PortRecord][] {
  const freedAt = (record: PortRecord) => record.freedAtMs ?? Number.POSITIVE_INFINITY;
  return [...records]
    .filter(([port, record]) => record.namespace === namespace && record.service === service && !blocked.has(port))
    .sort(([, a], [, b]) => (freedAt(a) === freedAt(b) ? 0 : freedAt(b) - freedAt(a)));
}

function* freePorts(
  records: ReadonlyMap<number, PortRecord>,
  blocked: ReadonlySet<number>,
  nowMs: number,
  { first, last }: PortRange,
): Generator<number, undefined> {
  for (let port = first; port <= last; port++) if (!records.has(port) && !blocked.has(port)) yield port;

  const rested = [...records]
    .filter(([port, { freedAtMs }]) => freedAtMs !== undefined && nowMs - freedAtMs >= restMs && !blocked.has(port))
    .sort(([, a], [, b]) => (a.freedAtMs ?? 0) - (b.freedAtMs ?? 0));
  for (const [port] of rested) yield port;
  return undefined;
}
