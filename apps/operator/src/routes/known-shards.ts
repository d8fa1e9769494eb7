import { type RouteRecord, shardName } from '@elasti/api';
import type { ConfigMap, Frozen, Logger, ResourceCache } from '@elasti/operator-kit';
import { type PortRange, shardsOf } from './port-range';
import { formatRouteKey, isInUse } from './route';
import { RouteBook } from './route-book';
import { isNewerVersion } from './resource-version';
import { type BrokenRecord, parseShard } from './route-shard';

/** The cached ConfigMaps of routes. */
export type ShardCache = Pick<ResourceCache<ConfigMap>, 'list' | 'subscribe'>;

const maxNamedLines = 10;

/**
 * The newest that is known of the route ConfigMaps: from the cache, from live reads, and from what was just written.
 *
 * An older version never replaces a newer one, so a cache that lags behind a write is not believed. A ConfigMap is parsed once per version.
 * What a vanished one said is kept until it is written again, so that its Services get their ports back.
 */
export class KnownShards {
  readonly book: RouteBook;
  private readonly objects = new Map<string, Frozen<ConfigMap>>();
  /** What the cache gave last, so that looking again costs nothing. */
  private readonly cached = new Map<string, Frozen<ConfigMap>>();
  private readonly lost = new Map<number, RouteRecord>();

  constructor(
    private readonly cache: ShardCache,
    private readonly logger: Logger,
    range: PortRange,
  ) {
    this.book = new RouteBook(range);
    cache.subscribe((event) => {
      if (event.type === 'deleted') this.hearOfDeletion(event.object, event.finalStateUnknown ? 'unknown' : 'known');
    });
  }

  get(shard: number): Frozen<ConfigMap> | undefined {
    return this.objects.get(shardName(shard));
  }

  /** Takes in what the cache has learned since the last time. */
  refresh(): void {
    for (const object of this.cache.list()) {
      const name = object.metadata.name ?? '';
      if (this.cached.get(name) === object) continue;
      this.cached.set(name, object);
      this.learn(object);
    }
  }

  /** Takes in a live read of all of them. */
  replaceAll(objects: readonly Frozen<ConfigMap>[]): void {
    const gone = new Set(this.objects.keys());
    for (const object of objects) {
      gone.delete(object.metadata.name ?? '');
      this.learn(object);
    }
    for (const name of gone) this.forget(name);
  }

  learn(object: Frozen<ConfigMap>): void {
    const name = object.metadata.name ?? '';
    const known = this.objects.get(name);
    if (known && !isNewerVersion(object.metadata.resourceVersion, known.metadata.resourceVersion)) return;

    const content = parseShard(object);
    this.warnOfNew(object, content.broken, known);
    this.objects.set(name, object);
    this.book.file(name, content);
  }

  /** Whether something vanished that is not written again yet. */
  get hasLost(): boolean {
    return this.lost.size > 0;
  }

  /** Records of vanished ConfigMaps, to be written again; those that what is known contradicts are given up. */
  restorable(): ReadonlyMap<number, RouteRecord> {
    const taken = new Set<string>();
    for (const [port, record] of this.lost) {
      const key = formatRouteKey(record);
      if (!this.book.isFree(port) || (isInUse(record) && (this.hasPort(record) || taken.has(key)))) this.lost.delete(port);
      else if (isInUse(record)) taken.add(key);
    }
    return new Map(this.lost);
  }

  /** They are written again. */
  restored(ports: Iterable<number>): void {
    for (const port of ports) this.lost.delete(port);
  }

  /** A newer version than the last before the deletion was made after it. After a gap in the watch that cannot be told, and a live read must. */
  private hearOfDeletion(object: Frozen<ConfigMap>, finalState: 'known' | 'unknown'): void {
    const { name = '', resourceVersion } = object.metadata;
    this.cached.delete(name);
    const known = this.objects.get(name);
    if (!known || this.cache.list().some(({ metadata }) => metadata.name === name)) return;
    if (finalState === 'known' && isNewerVersion(known.metadata.resourceVersion, resourceVersion)) return;
    this.forget(name);
  }

  private hasPort(record: RouteRecord): boolean {
    return [...this.book.recordsOf(record).values()].some((other) => isInUse(other) && other.port === record.port);
  }

  private forget(name: string): void {
    this.objects.delete(name);
    const content = this.book.unfile(name);
    for (const [port, record] of content.records) this.lost.set(port, record);
    if (shardsOf(this.book.range).some((shard) => shardName(shard) === name))
      this.logger.warn('a configmap of routes is gone and will be written again', { configMap: name, records: content.records.size });
  }

  /** Once for each line, not at every version of the ConfigMap. */
  private warnOfNew(object: Frozen<ConfigMap>, broken: readonly BrokenRecord[], before: Frozen<ConfigMap> | undefined): void {
    const fresh = broken.filter(({ key }) => before?.data?.[key] !== object.data?.[key]);
    if (fresh.length === 0) return;
    this.logger.warn('lines of a configmap of routes are broken: their ports are not handed out until a person mends or removes them', {
      configMap: object.metadata.name,
      count: fresh.length,
      lines: fresh.slice(0, maxNamedLines).map(({ key, problem }) => `${key}: ${problem}`),
    });
  }
}
