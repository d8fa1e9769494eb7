import { resolverPorts, type RouteRecord } from '@elasti/api';
import type { PortRange } from './port-range';
import { formatOwner, formatRouteKey, isInUse, type Route, type RouteKey, type RouteOwner, sameRouteKey } from './route';
import type { BrokenRecord, ShardContent } from './route-shard';

/** A freed port rests this long: whoever still sends to it must not reach another Service. */
export const restMs = 3_600_000;

const emptyContent: ShardContent = { records: new Map(), broken: [] };
const noRecords: ReadonlyMap<number, RouteRecord> = new Map();

/**
 * What the ConfigMaps say of every resolver port, filed by port and by Service.
 *
 * Answers for one Service cost as much as it has ports, however many others there are. Filing a ConfigMap replaces what was filed under its name.
 */
export class RouteBook {
  private readonly byPort = new Map<number, RouteRecord>();
  private readonly byOwner = new Map<string, Map<number, RouteRecord>>();
  private readonly freed = new Set<number>();
  private readonly filed = new Map<string, ShardContent>();
  /** Whom a port is kept for; `contested`: for nobody. */
  private readonly reserved = new Map<number, RouteKey | 'contested'>();
  private readonly provided = new Set<string>();
  private readonly doubted = new Set<number>();
  private strays = new StrayLines([]);
  /** No port below it is untouched. */
  private untouchedFrom: number;

  constructor(readonly range: PortRange = resolverPorts) {
    this.untouchedFrom = range.first;
  }

  get records(): ReadonlyMap<number, RouteRecord> {
    return this.byPort;
  }

  recordsOf(owner: RouteOwner): ReadonlyMap<number, RouteRecord> {
    return this.byOwner.get(formatOwner(owner)) ?? noRecords;
  }

  file(configMap: string, content: ShardContent): void {
    const before = this.filed.get(configMap) ?? emptyContent;
    for (const port of before.records.keys()) if (!content.records.has(port)) this.remove(port);
    for (const [port, record] of content.records) this.set(port, record);
    this.filed.set(configMap, content);
    if (before.broken.length > 0 || content.broken.length > 0) this.findStrays();
  }

  unfile(configMap: string): ShardContent {
    const content = this.filed.get(configMap) ?? emptyContent;
    this.file(configMap, emptyContent);
    this.filed.delete(configMap);
    return content;
  }

  set(port: number, record: RouteRecord): void {
    this.leaveOwner(port);
    this.byPort.set(port, record);
    const owner = formatOwner(record);
    const own = this.byOwner.get(owner) ?? new Map<number, RouteRecord>();
    this.byOwner.set(owner, own.set(port, record));
    if (isInUse(record)) this.freed.delete(port);
    else this.freed.add(port);
  }

  /**
   * Keeps a port that nobody has for the one whose status says that it had it; only a hint of theirs gets it.
   *
   * Anyone may have written that status. So one port is kept for each that has no record, and of two who name the same port neither gets it.
   */
  reserve({ resolverPort, ...key }: Route): void {
    if (this.byPort.has(resolverPort)) return;
    const name = formatRouteKey(key);
    const holder = this.reserved.get(resolverPort);
    const isOthers = holder !== undefined && (holder === 'contested' || !sameRouteKey(holder, key));
    if (this.provided.has(name) || this.hasRecordOf(key)) {
      if (isOthers) this.reserved.set(resolverPort, 'contested');
      else if (!holder) this.doubted.add(resolverPort);
      return;
    }
    this.provided.add(name);
    this.reserved.set(resolverPort, isOthers || this.doubted.has(resolverPort) ? 'contested' : key);
  }

  /** Whether a hint of this one may be followed to a port that nobody has. */
  isOpenTo(port: number, key: RouteKey): boolean {
    const holder = this.reserved.get(port);
    return this.isFree(port) && (holder === undefined || (holder !== 'contested' && sameRouteKey(holder, key)));
  }

  /** Broken or stray lines speak of it, so it may be somebody's. */
  isBlocked(port: number): boolean {
    return this.strays.ports.has(port);
  }

  /** Whether another Service claims this port, too, while both use it. */
  isContested(port: number): boolean {
    const record = this.byPort.get(port);
    return record !== undefined && isInUse(record) && this.strays.claimsOn(port).some((claim) => !sameRouteKey(claim, record));
  }

  /** Whether a stray line claims a port for this key that is in use by another. */
  claimsAnothersPort(key: RouteKey): boolean {
    return this.strays.portsClaimedBy(key).some((port) => {
      const record = this.byPort.get(port);
      return record !== undefined && isInUse(record) && !sameRouteKey(record, key);
    });
  }

  isFree(port: number): boolean {
    return port >= this.range.first && port <= this.range.last && !this.byPort.has(port) && !this.isBlocked(port);
  }

  /** Ports to hand out, those that nobody ever had first, then the one that has rested longest. */
  *freePorts(nowMs: number): Generator<number, undefined> {
    while (this.untouchedFrom <= this.range.last && !this.isUntouched(this.untouchedFrom)) this.untouchedFrom++;
    for (let port = this.untouchedFrom; port <= this.range.last; port++) if (this.isUntouched(port)) yield port;

    const freedAt = (port: number) => this.byPort.get(port)?.freedAtMs ?? Number.POSITIVE_INFINITY;
    const rested = [...this.freed].filter((port) => nowMs - freedAt(port) >= restMs && !this.isBlocked(port));
    yield* rested.sort((a, b) => freedAt(a) - freedAt(b));
    return undefined;
  }

  /** A copy to try decisions on. */
  draft(): RouteBook {
    const copy = new RouteBook(this.range);
    for (const [port, record] of this.byPort) copy.set(port, record);
    copy.strays = this.strays;
    return copy;
  }

  private isUntouched(port: number): boolean {
    return this.isFree(port) && !this.reserved.has(port);
  }

  private hasRecordOf(key: RouteKey): boolean {
    return [...this.recordsOf(key).values()].some(({ port }) => port === key.port);
  }

  private remove(port: number): void {
    this.leaveOwner(port);
    this.byPort.delete(port);
    this.freed.delete(port);
    this.untouchedFrom = Math.min(this.untouchedFrom, port);
  }

  private leaveOwner(port: number): void {
    const record = this.byPort.get(port);
    const own = record && this.byOwner.get(formatOwner(record));
    if (!own) return;
    own.delete(port);
    if (own.size === 0) this.byOwner.delete(formatOwner(record));
  }

  private findStrays(): void {
    this.strays = new StrayLines([...this.filed.values()].flatMap(({ broken }) => broken));
    this.untouchedFrom = this.range.first;
  }
}

/** The lines that are no records: which ports they block, and what they claim while in use. */
class StrayLines {
  readonly ports = new Set<number>();
  private readonly claims = new Map<number, RouteRecord[]>();
  private readonly claimed = new Map<string, number[]>();

  constructor(lines: readonly BrokenRecord[]) {
    for (const { resolverPort, claim } of lines) {
      if (resolverPort === undefined) continue;
      this.ports.add(resolverPort);
      if (!claim || !isInUse(claim)) continue;
      this.claims.set(resolverPort, [...this.claimsOn(resolverPort), claim]);
      this.claimed.set(formatRouteKey(claim), [...this.portsClaimedBy(claim), resolverPort]);
    }
  }

  claimsOn(port: number): readonly RouteRecord[] {
    return this.claims.get(port) ?? [];
  }

  portsClaimedBy(key: RouteKey): readonly number[] {
    return this.claimed.get(formatRouteKey(key)) ?? [];
  }
}
