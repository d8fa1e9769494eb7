import type { RouteRecord } from '@elasti/api';
import { isInUse, type Route, type RouteGrant, type RouteKey, type RouteOwner, sameRouteKey, type WantedPort } from './route';
import type { RouteBook } from './route-book';

export interface Allocation {
  readonly grant: RouteGrant;
  /** Records to write; those not named stay as they are. */
  readonly changes: ReadonlyMap<number, RouteRecord>;
}

/**
 * Gives every wanted port of one Service a resolver port, and frees the ones it no longer wants.
 *
 * A port that has one keeps it, the lowest if somebody wrote down two, also when it was freed and has no other owner yet. `remembered` routes are a
 * hint for those without a record, followed when nobody has the port and it is kept for nobody else. New ones get a port that nobody ever had while there is one, then the one that
 * has rested longest. Ports that are contested, or that a broken line speaks of, are never handed out. The book is left as it is.
 */
export function allocatePorts(
  book: RouteBook,
  { namespace, service }: RouteOwner,
  wantedPorts: readonly WantedPort[],
  nowMs: number,
  remembered: readonly Route[] = [],
): Allocation {
  const allocation = new ServiceAllocation(book, { namespace, service }, nowMs);
  const wanted = new Map(wantedPorts.map((port) => [port.port, { namespace, service, ...port }]));
  const missing = [...wanted.values()].filter((record) => !allocation.keep(record));
  allocation.freeTheRest();
  for (const record of missing) allocation.add(record, remembered);
  return allocation;
}

/** Frees every port in use whose Service nobody claims. */
export function freeUnclaimed(book: RouteBook, isClaimed: (namespace: string, service: string) => boolean, nowMs: number): Allocation {
  const changes = new Map<number, RouteRecord>();
  for (const [resolverPort, record] of book.records) {
    if (isInUse(record) && !isClaimed(record.namespace, record.service)) changes.set(resolverPort, { ...record, freedAtMs: nowMs });
  }
  return { grant: { routes: [], without: [], disputed: [] }, changes };
}

class ServiceAllocation implements Allocation {
  readonly grant = { routes: [] as Route[], without: [] as RouteKey[], disputed: [] as RouteKey[] };
  readonly changes = new Map<number, RouteRecord>();
  private readonly own: readonly (readonly [number, RouteRecord])[];
  private readonly kept = new Set<number>();
  private readonly free: Iterator<number, undefined>;

  constructor(
    private readonly book: RouteBook,
    owner: RouteOwner,
    private readonly nowMs: number,
  ) {
    this.own = [...book.recordsOf(owner)].sort(([a], [b]) => a - b);
    this.free = book.freePorts(nowMs);
  }

  /** False for a port that has nothing to keep. One that is kept says from now on who speaks first. */
  keep(wanted: RouteRecord): boolean {
    const key = keyOf(wanted);
    const mine = this.own.filter(([, record]) => record.port === key.port);
    const inUse = mine.filter(([, record]) => isInUse(record)).map(([resolverPort]) => resolverPort);
    const clean = inUse.find((resolverPort) => !this.book.isContested(resolverPort));
    if (clean !== undefined) {
      this.kept.add(clean);
      if (this.book.records.get(clean)?.speaksFirst !== wanted.speaksFirst) this.changes.set(clean, wanted);
      this.grant.routes.push({ ...key, resolverPort: clean });
      return true;
    }
    if (inUse.length > 0 || this.book.claimsAnothersPort(key)) {
      for (const resolverPort of inUse) this.kept.add(resolverPort);
      this.grant.disputed.push(key);
      return true;
    }
    const former = newest(mine.filter(([resolverPort]) => !this.book.isBlocked(resolverPort)));
    if (former !== undefined) this.give(wanted, former);
    return former !== undefined;
  }

  freeTheRest(): void {
    for (const [resolverPort, record] of this.own) {
      if (isInUse(record) && !this.kept.has(resolverPort)) this.changes.set(resolverPort, { ...record, freedAtMs: this.nowMs });
    }
  }

  add(wanted: RouteRecord, remembered: readonly Route[]): void {
    const hint = remembered.find((route) => sameRouteKey(route, wanted) && this.isOpen(route));
    const resolverPort = hint?.resolverPort ?? this.nextFree();
    if (resolverPort === undefined) this.grant.without.push(keyOf(wanted));
    else this.give(wanted, resolverPort);
  }

  private give(wanted: RouteRecord, resolverPort: number): void {
    this.changes.set(resolverPort, wanted);
    this.grant.routes.push({ ...keyOf(wanted), resolverPort });
  }

  private isOpen({ resolverPort, ...key }: Route): boolean {
    return this.book.isOpenTo(resolverPort, key) && !this.changes.has(resolverPort);
  }

  private nextFree(): number | undefined {
    let port = this.free.next().value;
    while (port !== undefined && this.changes.has(port)) port = this.free.next().value;
    return port;
  }
}

function keyOf({ namespace, service, port }: RouteRecord): RouteKey {
  return { namespace, service, port };
}

function newest(records: readonly (readonly [number, RouteRecord])[]): number | undefined {
  const [latest] = [...records].sort(([, a], [, b]) => (b.freedAtMs ?? 0) - (a.freedAtMs ?? 0));
  return latest?.[0];
}
