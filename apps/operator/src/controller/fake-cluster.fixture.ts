import {
  AlreadyExistsError,
  apiVersionOf,
  type ApplyOptions,
  type Clock,
  ConflictError,
  definitionOf,
  type DeleteOptions,
  type Discovery,
  formatRef,
  groupResourceOf,
  type KubeClient,
  type KubeList,
  type KubeObject,
  type KubeReader,
  type KubeStatus,
  type KubeWriter,
  type ListOptions,
  NotFoundError,
  type ObjectRef,
  type Patch,
  type PatchOptions,
  refOf,
  type RequestOptions,
  type ResourceDefinition,
  type ResourceLike,
  type Scale,
  UnknownKindError,
  type WriteOptions,
} from '@elasti/operator-kit';
import { isSelected, LaggingCaches } from './lagging-caches.fixture';

/** One call to the API server: `apply EndpointSlice elasti-web-standby-1`. */
export interface Call {
  readonly verb: 'get' | 'list' | 'getScale' | 'create' | 'replace' | 'apply' | 'patch' | 'patch status' | 'delete' | 'replaceScale';
  readonly kind: string;
  readonly name: string;
  readonly effect: 'reads' | 'writes';
}

type Loose = KubeObject & { spec?: { replicas?: number } };
type ClusterClient = KubeReader & KubeWriter & Pick<KubeClient, 'discovery'>;

/**
 * An API server in memory: objects with versions, preconditions, scales and who wrote them; and caches over it that may lag.
 *
 * A test may look at, delay or refuse every call by `before`, and see the cluster after every write by `after`.
 */
export class FakeCluster implements ClusterClient {
  readonly calls: Call[] = [];
  readonly kinds: ResourceDefinition[] = [];
  before: (call: Call) => void | Promise<void> = () => undefined;
  after: (call: Call) => void = () => undefined;
  private readonly objects = new Map<string, { kind: ResourceDefinition; object: KubeObject }>();
  private readonly applied = new Map<string, unknown>();
  private readonly watchers: LaggingCaches[] = [];
  private version = 1000;

  constructor(private readonly clock: Clock) {}

  /** Caches of one more process. */
  attach(): LaggingCaches {
    const caches = new LaggingCaches((kind) => this.stored(kind));
    this.watchers.push(caches);
    return caches;
  }

  /** As if somebody else wrote it: no call, no conflict. */
  put<T extends KubeObject>(resource: ResourceLike<T>, object: T, manager = 'kubectl'): T {
    const definition = definitionOf(resource);
    const key = keyOf(definition, refOf(object));
    const known: Loose | undefined = this.objects.get(key)?.object;
    const next = structuredClone(object) as KubeObject as Loose;
    if (known?.spec?.replicas !== next.spec?.replicas) next.metadata.managedFields = this.noted(manager);
    return this.store(key, definition, next) as T;
  }

  change<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, edit: (object: T) => void, manager?: string): T {
    const object = structuredClone(this.look(resource, ref));
    edit(object);
    return this.put(resource, object, manager);
  }

  remove(resource: ResourceLike, ref: ObjectRef): void {
    const definition = definitionOf(resource);
    this.drop(keyOf(definition, ref), definition);
  }

  /** What is there now, without a call. */
  peek<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef): T | undefined {
    return this.objects.get(keyOf(definitionOf(resource), ref))?.object as T | undefined;
  }

  look<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef): T {
    const object = this.peek(resource, ref);
    if (!object) throw new Error(`there is no ${definitionOf(resource).kind} ${formatRef(ref)}`);
    return object;
  }

  all<T extends KubeObject>(resource: ResourceLike<T>): T[] {
    return this.stored(definitionOf(resource)) as T[];
  }

  /** The writes so far, as `verb Kind name`. */
  get writes(): string[] {
    return this.calls.filter(({ effect }) => effect === 'writes').map(formatCall);
  }

  async get<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: RequestOptions): Promise<T> {
    const found = await this.find(resource, ref, options);
    if (!found) throw notFound(resource, ref);
    return found;
  }

  find<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: RequestOptions): Promise<T | undefined> {
    return this.perform({ verb: 'get', resource, ref, effect: 'reads' }, options, () => structuredClone(this.peek(resource, ref)));
  }

  list<T extends KubeObject>(resource: ResourceLike<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    const definition = definitionOf(resource);
    return this.perform({ verb: 'list', resource, ref: { name: '' }, effect: 'reads' }, options, () => ({
      apiVersion: apiVersionOf(definition),
      kind: `${definition.kind}List`,
      metadata: { resourceVersion: String(this.version) },
      items: structuredClone(this.stored(definition).filter((object) => isSelected(object, options))) as T[],
    }));
  }

  getScale(resource: ResourceLike, ref: ObjectRef, options?: RequestOptions): Promise<Scale> {
    return this.perform({ verb: 'getScale', resource, ref, effect: 'reads' }, options, () => this.scaleOf(resource, ref));
  }

  create<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: WriteOptions): Promise<T> {
    const definition = definitionOf(resource);
    return this.perform({ verb: 'create', resource, ref: refOf(object), effect: 'writes' }, options, () => {
      if (this.peek(resource, refOf(object))) throw new AlreadyExistsError(409, failure('AlreadyExists'), 'POST');
      return this.store(keyOf(definition, refOf(object)), definition, structuredClone(object)) as T;
    });
  }

  replace<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: WriteOptions): Promise<T> {
    const definition = definitionOf(resource);
    return this.perform({ verb: 'replace', resource, ref: refOf(object), effect: 'writes' }, options, () => {
      this.demand(resource, refOf(object), { resourceVersion: object.metadata.resourceVersion });
      return this.store(keyOf(definition, refOf(object)), definition, structuredClone(object)) as T;
    });
  }

  apply<T extends KubeObject>(resource: ResourceLike<T>, object: T, options: ApplyOptions): Promise<T> {
    const definition = definitionOf(resource);
    const key = keyOf(definition, refOf(object));
    return this.perform({ verb: 'apply', resource, ref: refOf(object), effect: 'writes' }, options, () => {
      const known = structuredClone(this.objects.get(key)?.object);
      const kept = known && without(known, this.applied.get(key), object);
      this.applied.set(key, structuredClone(object));
      return this.store(key, definition, merged(kept ?? {}, structuredClone(object)) as KubeObject) as T;
    });
  }

  patch<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, patch: Patch, options: PatchOptions = {}): Promise<T> {
    const definition = definitionOf(resource);
    const verb = options.subresource === 'status' ? 'patch status' : 'patch';
    return this.perform({ verb, resource, ref, effect: 'writes' }, options, () => {
      if (patch.type !== 'merge') throw new Error('only merge patches are known here');
      const { metadata, status } = patch.body as { metadata?: { resourceVersion?: string }; status?: unknown };
      this.demand(resource, ref, { resourceVersion: metadata?.resourceVersion });
      const body = options.subresource === 'status' ? { status } : patch.body;
      return this.store(keyOf(definition, ref), definition, merged(structuredClone(this.look(resource, ref)), body) as KubeObject) as T;
    });
  }

  delete<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options: DeleteOptions = {}): Promise<T | undefined> {
    return this.perform({ verb: 'delete', resource, ref, effect: 'writes' }, options, () => {
      this.demand(resource, ref, options.preconditions ?? {});
      this.remove(resource, ref);
      return undefined;
    });
  }

  replaceScale(resource: ResourceLike, ref: ObjectRef, scale: Scale, options: WriteOptions = {}): Promise<Scale> {
    return this.perform({ verb: 'replaceScale', resource, ref, effect: 'writes' }, options, () => {
      const { resourceVersion } = scale.metadata;
      this.demand(resource, ref, { resourceVersion });
      this.change<Loose>(resource, ref, (o) => (o.spec = { ...o.spec, ...scale.spec }), options.fieldManager);
      return this.scaleOf(resource, ref);
    });
  }

  readonly listAll = surprise;
  readonly watch = surprise;
  readonly replaceStatus = surprise;
  readonly deleteAll = surprise;

  discovery(): Discovery {
    const resourceFor = (apiVersion: string, kind: string) => {
      const found = this.kinds.find((known) => known.kind === kind && apiVersionOf(known) === apiVersion);
      return found ? Promise.resolve(found) : Promise.reject(new UnknownKindError(apiVersion, kind));
    };
    return { resourceFor } as unknown as Discovery;
  }

  private async perform<R>(
    { resource, ref, verb, effect }: Pick<Call, 'verb' | 'effect'> & { resource: ResourceLike; ref: ObjectRef },
    options: RequestOptions | undefined,
    act: () => R,
  ): Promise<R> {
    const call: Call = { verb, kind: definitionOf(resource).kind, name: ref.name, effect };
    options?.signal?.throwIfAborted();
    await this.before(call);
    options?.signal?.throwIfAborted();
    this.calls.push(call);
    const answer = act();
    this.after(call);
    return answer;
  }

  private demand(resource: ResourceLike, ref: ObjectRef, { uid, resourceVersion }: { uid?: string; resourceVersion?: string }): void {
    const metadata = this.peek(resource, ref)?.metadata;
    if (!metadata) throw notFound(resource, ref);
    const isOther = (wanted: string | undefined, found: string | undefined) => wanted !== undefined && wanted !== found;
    if (isOther(uid, metadata.uid) || isOther(resourceVersion, metadata.resourceVersion)) {
      throw new ConflictError(409, failure('Conflict'), `WRITE ${formatRef(ref)}`);
    }
  }

  private store(key: string, kind: ResourceDefinition, object: KubeObject): KubeObject {
    const known = this.objects.get(key)?.object;
    const before = known?.metadata;
    const generation = before?.generation ?? object.metadata.generation ?? 1;
    const isNewSpec = known && !same((known as Loose).spec, (object as Loose).spec);
    const metadata = {
      ...object.metadata,
      uid: before?.uid ?? object.metadata.uid ?? `uid-${++this.version}`,
      generation: isNewSpec ? generation + 1 : generation,
      creationTimestamp: before?.creationTimestamp ?? object.metadata.creationTimestamp ?? new Date(this.clock.now()).toISOString(),
      resourceVersion: before?.resourceVersion,
    };
    if (known && same(known, { ...object, metadata })) return structuredClone(known);
    const next = { ...object, metadata: { ...metadata, resourceVersion: String(++this.version) } };
    this.objects.set(key, { kind, object: next });
    for (const caches of this.watchers) caches.changed(kind);
    return structuredClone(next);
  }

  private drop(key: string, kind: ResourceDefinition): void {
    if (!this.objects.delete(key)) return;
    this.applied.delete(key);
    for (const caches of this.watchers) caches.changed(kind);
  }

  private stored(kind: ResourceDefinition): KubeObject[] {
    const name = groupResourceOf(kind);
    return [...this.objects.values()].filter((entry) => groupResourceOf(entry.kind) === name).map(({ object }) => object);
  }

  private scaleOf(resource: ResourceLike, ref: ObjectRef): Scale {
    const workload: Loose | undefined = this.peek(resource, ref);
    if (!workload) throw notFound(resource, ref);
    const { namespace, name, uid, resourceVersion } = workload.metadata;
    const metadata = { namespace, name, uid, resourceVersion };
    const replicas = workload.spec?.replicas;
    // As every API server does it: a zero is left out.
    return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: replicas ? { replicas } : {} };
  }

  /** Whoever changes a field takes it from all others. */
  private noted(manager: string): NonNullable<KubeObject['metadata']['managedFields']> {
    const time = new Date(Math.trunc(this.clock.now() / 1000) * 1000).toISOString();
    return [{ manager, time, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }];
  }
}

export function formatCall({ verb, kind, name }: Call): string {
  return `${verb} ${kind} ${name}`;
}

function surprise(): never {
  throw new Error('no such call was expected');
}

function keyOf(kind: ResourceDefinition, ref: ObjectRef): string {
  return `${groupResourceOf(kind)} ${formatRef(ref)}`;
}

function notFound(resource: ResourceLike, ref: ObjectRef): NotFoundError {
  return new NotFoundError(404, failure('NotFound'), `GET ${definitionOf(resource).plural} ${formatRef(ref)}`);
}

function failure(reason: string): KubeStatus {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason };
}

type Fields = Record<string, unknown>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** As a merge patch: null takes a field away. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const result: Fields = isFields(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = merged(result[key], value);
  }
  return result;
}

/** What was applied before and is asked for no longer goes; the rest is others'. */
function without(live: unknown, before: unknown, now: unknown): unknown {
  if (!isFields(live) || !isFields(before)) return live;
  const wanted: Fields = isFields(now) ? now : {};
  return Object.fromEntries(
    Object.entries(live)
      .filter(([key]) => !(key in before && !(key in wanted)))
      .map(([key, value]) => [key, without(value, before[key], wanted[key])]),
  );
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(inOrder(a)) === JSON.stringify(inOrder(b));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, inOrder(field)]),
  );
}
