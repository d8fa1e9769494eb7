import {
  type CacheEvent,
  type CacheOptions,
  type CacheProvider,
  definitionOf,
  formatRef,
  type Frozen,
  groupResourceOf,
  type KubeObject,
  type ObjectRef,
  refOf,
  type ResourceCache,
  type ResourceDefinition,
  type ResourceLike,
  type Subscription,
} from '@elasti/operator-kit';

/** A watch of a fake cluster. It shows everything at once, until a test holds it back. */
export class LaggingCache<T extends KubeObject = KubeObject> implements ResourceCache<T> {
  readonly hasSynced = true;
  private objects = new Map<string, Frozen<T>>();
  private readonly handlers: ((event: CacheEvent<T>) => void | Promise<void>)[] = [];
  isReleased = false;
  private isHeldBack = false;

  constructor(
    readonly kind: ResourceDefinition,
    readonly options: CacheOptions<T>,
    private readonly read: () => T[],
  ) {
    this.refresh();
  }

  get(ref: ObjectRef): Frozen<T> | undefined {
    return this.objects.get(formatRef(ref));
  }

  list(namespace?: string): Frozen<T>[] {
    return [...this.objects.values()].filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  }

  byIndex(index: string, value: string): Frozen<T>[] {
    const valuesOf = this.options.indexes?.[index];
    if (!valuesOf) throw new Error(`there is no index ${index}`);
    return this.list().filter((object) => valuesOf(object).includes(value));
  }

  getOwnedBy(uid: string): Frozen<T>[] {
    return this.list().filter(({ metadata }) => (metadata as KubeObject['metadata']).ownerReferences?.some((owner) => owner.uid === uid));
  }

  synced(): Promise<void> {
    return Promise.resolve();
  }

  subscribe(handler: (event: CacheEvent<T>) => void | Promise<void>): Subscription {
    this.handlers.push(handler);
    for (const object of this.list()) void handler({ type: 'added', object, initial: true });
    return { hasSynced: true, synced: () => Promise.resolve(), close: () => void this.handlers.splice(this.handlers.indexOf(handler), 1) };
  }

  release(): void {
    this.handlers.length = 0;
    this.isReleased = true;
  }

  /** From now on nothing new is seen. */
  holdBack(): void {
    this.isHeldBack = true;
  }

  /** Sees everything up to now, and goes on as before. */
  catchUp(): void {
    this.refresh();
  }

  letGo(): void {
    this.isHeldBack = false;
    this.refresh();
  }

  changed(): void {
    if (!this.isHeldBack) this.refresh();
  }

  private refresh(): void {
    const transform = this.options.transform ?? ((object: T) => object);
    const before = this.objects;
    const after = new Map<string, Frozen<T>>();
    const events: CacheEvent<T>[] = [];
    for (const live of this.read().filter((object) => isSelected(object, this.options))) {
      const key = formatRef(refOf(live));
      const known = before.get(key);
      const isKnown = known && (known.metadata as KubeObject['metadata']).resourceVersion === live.metadata.resourceVersion;
      const object = isKnown ? known : (transform(structuredClone(live)) as Frozen<T>);
      after.set(key, object);
      if (!known) events.push({ type: 'added', object, initial: false });
      else if (!isKnown) events.push({ type: 'updated', object, before: known, resync: false });
    }
    for (const [key, object] of before) if (!after.has(key)) events.push({ type: 'deleted', object, finalStateUnknown: false });
    this.objects = after;
    for (const event of events) for (const handler of [...this.handlers]) void handler(event);
  }
}

/** The caches of one process: what it was asked for, kind by kind. */
export class LaggingCaches implements CacheProvider {
  readonly acquired: LaggingCache[] = [];

  constructor(private readonly read: (kind: ResourceDefinition) => KubeObject[]) {}

  acquire<T extends KubeObject>(resource: ResourceLike<T>, options: CacheOptions<T> = {}): ResourceCache<T> {
    const kind = definitionOf(resource);
    const cache = new LaggingCache<T>(kind, options, () => this.read(kind) as T[]);
    this.acquired.push(cache as unknown as LaggingCache);
    return cache;
  }

  changed(kind: ResourceDefinition): void {
    for (const cache of this.acquired) if (groupResourceOf(cache.kind) === groupResourceOf(kind)) cache.changed();
  }

  holdBack(): void {
    for (const cache of this.acquired) cache.holdBack();
  }

  letGo(): void {
    for (const cache of this.acquired) cache.letGo();
  }
}

interface Selection {
  readonly namespace?: string;
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
}

/** Knows `label` and `label=value`. */
export function isSelected({ metadata }: KubeObject, { namespace, namespaces, labelSelector }: Selection): boolean {
  const isThere = namespace === undefined || metadata.namespace === namespace;
  const isAmong = namespaces === undefined || namespaces.includes(metadata.namespace ?? '');
  return isThere && isAmong && (labelSelector === undefined || hasLabel(metadata.labels ?? {}, labelSelector));
}

function hasLabel(labels: Readonly<Record<string, string>>, selector: string): boolean {
  const [label = '', value] = selector.split('=');
  return value === undefined ? label in labels : labels[label] === value;
}
