import { type RouteRecord, routesLabel } from '@elasti/api';
import { apiErrorFor, type ConfigMap, type Frozen, type KubeObject, type ObjectRef, refOf } from '@elasti/operator-kit';
import { isInUse, formatRouteKey } from './route';
import { parseShard } from './route-shard';
import type { ShardAccess } from './shard.ops';

export type RouteCall = 'list' | 'find' | 'create' | 'replace';

const failure = (code: number, reason: string) => apiErrorFor(code, { kind: 'Status', apiVersion: 'v1', reason }, 'TEST /configmaps');

/** What a test needs of a fake cache to let it lag or catch up. */
export interface FillableCache {
  get(ref: ObjectRef): Frozen<ConfigMap> | undefined;
  list(): Frozen<ConfigMap>[];
  put(object: ConfigMap): void;
  remove(ref: ObjectRef): void;
}

/** ConfigMaps in memory with versions and preconditions, as an API server keeps them; a test may hold up or fail any call. */
export class RouteServer {
  readonly objects = new Map<string, ConfigMap>();
  readonly calls: RouteCall[] = [];
  private version = 100;

  get writes(): number {
    return this.calls.filter((call) => call === 'create' || call === 'replace').length;
  }

  /** All records, of every ConfigMap. */
  get records(): Map<number, RouteRecord> {
    return new Map([...this.objects.values()].flatMap((object) => [...parseShard(object).records]));
  }

  /** Resolver ports in use, by Service port. */
  get portsInUse(): Record<string, number[]> {
    const ports: Record<string, number[]> = {};
    for (const [port, record] of this.records) if (isInUse(record)) (ports[formatRouteKey(record)] ??= []).push(port);
    return ports;
  }

  put(object: ConfigMap): ConfigMap {
    const stored = structuredClone(object);
    stored.metadata.resourceVersion = String(++this.version);
    this.objects.set(refOf(stored).name, stored);
    return structuredClone(stored);
  }

  /** A client. `before` runs ahead of each call and `after` once it took effect, ahead of the answer. */
  client(before: (call: RouteCall) => Promise<void> | void = () => undefined, after: typeof before = () => undefined): ShardAccess {
    const call = async <T>(name: RouteCall, signal: AbortSignal | undefined, effect: () => T): Promise<T> => {
      await before(name);
      signal?.throwIfAborted();
      this.calls.push(name);
      const answer = effect();
      await after(name);
      signal?.throwIfAborted();
      return answer;
    };
    return {
      list: (_resource, options) =>
        call('list', options?.signal, () => {
          const labelled = [...this.objects.values()].filter(({ metadata }) => metadata.labels?.[routesLabel] === 'true');
          return { apiVersion: 'v1', kind: 'ConfigMapList', metadata: {}, items: structuredClone(labelled) as KubeObject[] as never[] };
        }),
      find: (_resource, { name }, options) => call('find', options?.signal, () => structuredClone(this.objects.get(name)) as never),
      create: (_resource, object, options) =>
        call('create', options?.signal, () => this.create(object as KubeObject as ConfigMap) as never),
      replace: (_resource, object, options) =>
        call('replace', options?.signal, () => this.replace(object as KubeObject as ConfigMap) as never),
    };
  }

  /** Makes a cache see what is stored now. */
  fill(cache: FillableCache): void {
    for (const cached of cache.list()) if (!this.objects.has(cached.metadata.name ?? '')) cache.remove(refOf(cached));
    for (const object of this.objects.values()) {
      if (cache.get(refOf(object))?.metadata.resourceVersion !== object.metadata.resourceVersion) cache.put(structuredClone(object));
    }
  }

  private create(object: ConfigMap): ConfigMap {
    if (this.objects.has(refOf(object).name)) throw failure(409, 'AlreadyExists');
    return this.put(object);
  }

  private replace(object: ConfigMap): ConfigMap {
    const stored = this.objects.get(refOf(object).name);
    if (!stored) throw failure(404, 'NotFound');
    if (stored.metadata.resourceVersion !== object.metadata.resourceVersion) throw failure(409, 'Conflict');
    return this.put(object);
  }
}
