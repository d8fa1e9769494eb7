import type { ElastiService, ScaleTargetRef } from '@elasti/api';
import {
  apiVersionOf,
  type Clock,
  Deployment,
  type Frozen,
  type KubeClient,
  NotFoundError,
  type ObjectRef,
  type ResourceDefinition,
  type Scale,
  StatefulSet,
  UnknownKindError,
  withTimeout,
} from '@elasti/operator-kit';
import { type Informers, targetKindOf, type Workload } from '../../informer';
import { fieldManager } from '../../names';
import { type LastScaler, lastScalerOf } from '../decisions/last-scaler';
import { type TargetScales } from '../target-scales';
import { TargetNotFoundError } from '../waker';

/** A target as the watch shows it. */
export interface ObservedTarget {
  readonly kind: ResourceDefinition;
  readonly ref: ObjectRef;
  /** Replicas it is asked to have. */
  readonly replicas: number;
  readonly workload: Frozen<Workload>;
}

type TargetClient = Pick<KubeClient, 'getScale' | 'replaceScale' | 'get' | 'discovery'>;

/** For the first list of a kind that somebody names for the first time. */
const firstListMs = 2_000;

const builtinKinds: readonly ResourceDefinition[] = [Deployment, StatefulSet];

/**
 * The workloads that sleep: Deployments, StatefulSets and every kind with a scale subresource.
 *
 * `observe` answers from the watch; everything that decides a race (`read`, `scale`, `lastScaler`) asks the API server.
 */
export class TargetOps implements TargetScales {
  /** A change makes another object of a workload, so nothing is kept of those that are gone. */
  private readonly told = new WeakSet<Frozen<Workload>>();

  constructor(
    private readonly client: TargetClient,
    private readonly informers: Pick<Informers, 'workloads'>,
    private readonly clock: Clock,
  ) {}

  /** @throws TargetNotFoundError */
  async observe(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<ObservedTarget> {
    const { kind, ref } = await this.locate(elastiService, signal);
    const cache = this.informers.workloads(kind);
    if (!cache) throw new TargetNotFoundError(`too many kinds of targets are in use to watch ${kind.kind} as well`);
    if (!cache.hasSynced) await this.untilKnown(kind, cache, signal);
    const workload = cache.get(ref);
    if (!workload) throw new TargetNotFoundError(`there is no ${kind.kind} ${ref.name} in the namespace ${ref.namespace ?? ''}`);
    return { kind, ref, workload, replicas: await this.replicasOfAny(kind, ref, workload, signal) };
  }

  async replicasOf(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<number | undefined> {
    try {
      const { replicas } = await this.observe(elastiService, signal);
      return replicas;
    } catch (error) {
      if (error instanceof TargetNotFoundError) return undefined;
      throw error;
    }
  }

  /** From the API server, never from the cache. @throws TargetNotFoundError */
  async read(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<Scale> {
    const { kind, ref } = await this.locate(elastiService, signal);
    return this.client.getScale(kind, ref, { signal }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      throw new TargetNotFoundError(`${kind.kind} ${ref.name} is not there, or has no scale subresource`, { cause: error });
    });
  }

  /**
   * The scale of a target that probably has fewer replicas: by the watch where that tells, else by the API server's word. Good only to `scale` from, which the
   * API server refuses when anything has changed since. What the watch shows is told once: whoever asks again comes after a write of it.
   */
  async expectBelow(elastiService: Frozen<ElastiService>, replicas: number, signal: AbortSignal): Promise<Scale | undefined> {
    const { kind, ref } = await this.locate(elastiService, signal);
    const workload = knowsReplicas(kind) ? this.informers.workloads(kind)?.get(ref) : undefined;
    if (!workload) {
      const read = await this.read(elastiService, signal);
      return (read.spec.replicas ?? 0) < replicas ? read : undefined;
    }
    if (replicasIn(workload) >= replicas || this.told.has(workload)) return undefined;
    this.told.add(workload);
    return buildScale(ref, workload);
  }

  /** Asks for so many replicas, if nobody has written the scale since it was read. @throws ConflictError */
  async scale(elastiService: Frozen<ElastiService>, read: Scale, replicas: number, signal: AbortSignal): Promise<void> {
    const { kind, ref } = await this.locate(elastiService, signal);
    await this.client.replaceScale(kind, ref, { ...read, spec: { ...read.spec, replicas } }, { signal, fieldManager, answer: 'unread' });
  }

  /** Who set the number of replicas last, as the API server has noted it. */
  async lastScaler({ kind, ref }: Pick<ObservedTarget, 'kind' | 'ref'>, signal: AbortSignal): Promise<LastScaler | undefined> {
    const { metadata } = await this.client.get(kind, ref, { signal });
    return lastScalerOf(metadata.managedFields ?? []);
  }

  /** A kind that the operator may not list never comes; those who wait for it must not keep others waiting. */
  private async untilKnown(
    kind: ResourceDefinition,
    cache: { synced(signal: AbortSignal): Promise<void> },
    signal: AbortSignal,
  ): Promise<void> {
    const reason = () => new TargetNotFoundError(`${kind.kind} cannot be watched: may the operator get, list and watch ${kind.plural}?`);
    await withTimeout({ clock: this.clock, timeoutMs: firstListMs, reason, signal }, (limited) => cache.synced(limited));
  }

  private async locate(
    { metadata, spec }: Frozen<ElastiService>,
    signal: AbortSignal,
  ): Promise<{ kind: ResourceDefinition; ref: ObjectRef }> {
    const kind = await this.resolveKind(spec.scaleTargetRef, signal);
    return { kind, ref: { namespace: metadata.namespace, name: spec.scaleTargetRef.name } };
  }

  private async resolveKind(ref: Frozen<ScaleTargetRef>, signal: AbortSignal): Promise<ResourceDefinition> {
    const kind = targetKindOf(ref);
    const builtin = builtinKinds.find((known) => known.kind === kind && apiVersionOf(known) === ref.apiVersion);
    if (builtin) return builtin;
    const found = await this.client
      .discovery()
      .resourceFor(ref.apiVersion, kind, { signal })
      .catch((error: unknown) => {
        if (!(error instanceof UnknownKindError)) throw error;
        throw new TargetNotFoundError(error.message, { cause: error });
      });
    if (!found.namespaced) throw new TargetNotFoundError(`${kind} is not of a namespace, so it cannot stand behind a Service`);
    return found;
  }

  private async replicasOfAny(kind: ResourceDefinition, ref: ObjectRef, workload: Frozen<Workload>, signal: AbortSignal): Promise<number> {
    if (knowsReplicas(kind)) return replicasIn(workload);
    const { spec } = await this.client.getScale(kind, ref, { signal }).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      throw new TargetNotFoundError(`${kind.kind} ${ref.name} has no scale subresource: choose a kind that can be scaled`, {
        cause: error,
      });
    });
    return spec.replicas ?? 0;
  }
}

/** Only of the kinds we know it is certain where the number lies; the scale subresource knows for the others. */
function knowsReplicas(kind: ResourceDefinition): boolean {
  return builtinKinds.includes(kind) || (kind.kind === 'Rollout' && kind.group === 'argoproj.io');
}

function replicasIn({ spec }: Frozen<Workload>): number {
  return spec?.replicas ?? 1;
}

function buildScale({ namespace, name }: ObjectRef, workload: Frozen<Workload>): Scale {
  const { uid, resourceVersion } = workload.metadata;
  const metadata = { namespace, name, uid, resourceVersion };
  return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas: replicasIn(workload) } };
}
