import type { CacheOptions } from '../cache';
import { definitionOf, groupResourceOf, refOf } from '../client';
import type { KubeObject, ResourceDefinition, ResourceLike } from '../client';
import { Controller } from './controller';
import type { BackoffOptions } from './controller';
import { kindKey } from './controller-caches';
import type { ControllerHost } from './controller-host';
import { ControllerSetupError } from './controller.errors';
import { KindSetup } from './kind-setup';
import { ownerMapper } from './mappers';
import type { Mapper, OwnerMatch } from './mappers';
import type { Predicate } from './predicates';
import type { Reconciler } from './reconciler';

export interface SourceOptions<T extends KubeObject> {
  /** An event must pass all of them. Default: every event passes. */
  predicates?: readonly Predicate<T>[];
}

export interface OwnsOptions<T extends KubeObject> extends SourceOptions<T> {
  /** Default `controller`. */
  match?: OwnerMatch;
}

/**
 * Puts a controller together. Everything but the reconciler has a default; what is wrong is said by `build`, all at once.
 */
export class ControllerBuilder<T extends KubeObject> {
  private readonly kinds = new Map<string, KindSetup<KubeObject>>();
  private readonly ownSource: { mapper: Mapper<T>; predicates: Predicate<T>[]; resyncPeriodMs?: number };
  private reconciler: Reconciler<T> | undefined;
  private name: string;
  private givenFinalizer: string | undefined;
  private namespaces: readonly string[] | undefined;
  private concurrency = 1;
  private reconcileTimeoutMs = 5 * 60_000;
  private syncTimeoutMs = 2 * 60_000;
  private backoff: BackoffOptions = {};

  private constructor(private readonly definition: ResourceDefinition<T>) {
    this.name = definition.kind.toLowerCase();
    this.ownSource = { mapper: (object) => [refOf(object)], predicates: [] };
    this.kind(definition).addSource(this.ownSource);
  }

  static for<T extends KubeObject>(resource: ResourceLike<T>): ControllerBuilder<T> {
    return new ControllerBuilder(definitionOf(resource));
  }

  /** Unique within a manager, and the label of logs and metrics. Default: the kind in lower case. */
  named(name: string): this {
    this.name = name;
    return this;
  }

  withReconciler(reconciler: Reconciler<T>): this {
    this.reconciler = reconciler;
    return this;
  }

  /** A change of an object that ours controls reconciles its owner. */
  owns<S extends KubeObject>(resource: ResourceLike<S>, { match = 'controller', predicates = [] }: OwnsOptions<S> = {}): this {
    this.kind(resource).addSource({ mapper: ownerMapper(this.definition, match), predicates });
    return this;
  }

  /** A change of any other object reconciles those that the mapper names. */
  watches<S extends KubeObject>(resource: ResourceLike<S>, mapper: Mapper<S>, { predicates = [] }: SourceOptions<S> = {}): this {
    this.kind(resource).addSource({ mapper, predicates });
    return this;
  }

  /** For events of the controller's own kind; `owns` and `watches` take theirs. An event must pass all of them. */
  withPredicates(...predicates: Predicate<T>[]): this {
    this.ownSource.predicates.push(...predicates);
    return this;
  }

  /** How many objects may be reconciled at the same time. Default 1. */
  withConcurrency(concurrency: number): this {
    this.concurrency = concurrency;
    return this;
  }

  /** When a reconcile's signal fires. Default 5 min. */
  withReconcileTimeout(timeoutMs: number): this {
    this.reconcileTimeoutMs = timeoutMs;
    return this;
  }

  /** How long the caches may take to fill. Default 2 min. */
  withSyncTimeout(timeoutMs: number): this {
    this.syncTimeoutMs = timeoutMs;
    return this;
  }

  /** Reconciles every object this often, from the cache and with low priority. Default: never. */
  withResyncEvery(periodMs: number): this {
    this.ownSource.resyncPeriodMs = periodMs;
    return this;
  }

  /** Delays after failures. Default: 1 s doubling to 5 min. A longer one that the API server asks for is kept, up to 5 min. */
  withBackoff(backoff: BackoffOptions): this {
    this.backoff = backoff;
    return this;
  }

  /** Watches only these. Default: all namespaces. Cluster-scoped kinds are not affected. */
  inNamespaces(namespaces: readonly string[]): this {
    this.namespaces = namespaces;
    return this;
  }

  /** Indexes, selectors or a transform for the cache of a kind that this controller is for, owns or watches. */
  withCacheOptions<S extends KubeObject>(resource: ResourceLike<S>, options: CacheOptions<S>): this {
    this.kind(resource).setCacheOptions(options);
    return this;
  }

  /** Used when the reconciler has `finalize`. Default: `<group>/finalizer`, or `<group>/<name>` for a controller with a name of its own; none for kinds of Kubernetes itself. */
  withFinalizer(name: string): this {
    this.givenFinalizer = name;
    return this;
  }

  /**
   * Adds the controller to the host, which starts it.
   * @throws ControllerSetupError that lists every mistake
   */
  build(host: ControllerHost): Controller<T> {
    const { name, definition, reconciler, concurrency, reconcileTimeoutMs, syncTimeoutMs, backoff } = this;
    const problems = this.problems();
    if (!reconciler || problems.length > 0) throw new ControllerSetupError(name, problems);

    const kinds = [...this.kinds.values()].map((kind) => kind.toWatchedKind(this.namespaces));
    const finalizerName = reconciler.finalize && this.finalizerName;
    const controller = new Controller(
      { name, definition, reconciler, finalizerName, kinds, concurrency, reconcileTimeoutMs, syncTimeoutMs, backoff },
      host,
    );
    host.add(controller);
    return controller;
  }

  /** What two controllers share, the first to clean up takes off before the other has cleaned up: a default must be one controller's alone. */
  private get finalizerName(): string | undefined {
    const { group, kind } = this.definition;
    const isForeign = !group.includes('.') || group.endsWith('.k8s.io');
    if (this.givenFinalizer !== undefined || isForeign) return this.givenFinalizer;
    return `${group}/${this.name === kind.toLowerCase() ? 'finalizer' : this.name}`;
  }

  private kind<S extends KubeObject>(resource: ResourceLike<S>): KindSetup<S> {
    const key = kindKey(resource);
    const setup = this.kinds.get(key) ?? (new KindSetup(definitionOf(resource)) as unknown as KindSetup<KubeObject>);
    this.kinds.set(key, setup);
    return setup as unknown as KindSetup<S>;
  }

  private problems(): string[] {
    const { reconciler, name, concurrency, finalizerName, namespaces, definition } = this;
    const unwatched = [...this.kinds.values()].filter((kind) => !kind.isWatched).map((kind) => groupResourceOf(kind.definition));
    return [
      ...refuse(!reconciler, 'there is no reconciler: call withReconciler()'),
      ...refuse(!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name), `the name "${name}" is not made of a-z, 0-9 and "-": call named()`),
      ...refuse(!(Number.isInteger(concurrency) && concurrency > 0), `withConcurrency(${concurrency}) is not a whole number above 0`),
      ...refuse(!(this.reconcileTimeoutMs > 0), `withReconcileTimeout(${this.reconcileTimeoutMs}) is not above 0`),
      ...refuse(!(this.syncTimeoutMs > 0), `withSyncTimeout(${this.syncTimeoutMs}) is not above 0`),
      ...refuse(!((this.ownSource.resyncPeriodMs ?? 1) > 0), `withResyncEvery(${this.ownSource.resyncPeriodMs ?? 0}) is not above 0`),
      ...refuse(namespaces?.length === 0, 'inNamespaces([]) watches nothing: name a namespace, or leave it out to watch all'),
      ...refuse(
        reconciler?.finalize !== undefined && !/^[a-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(finalizerName ?? ''),
        `the finalizer "${finalizerName ?? ''}" of ${groupResourceOf(definition)} is not of the form domain/name: call withFinalizer()`,
      ),
      ...unwatched.map((kind) => `withCacheOptions() is about ${kind}, which is not watched: add owns() or watches() for it`),
    ];
  }
}

function refuse(isWrong: boolean, problem: string): string[] {
  return isWrong ? [problem] : [];
}
