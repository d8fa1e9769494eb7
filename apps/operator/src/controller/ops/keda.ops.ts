import type { ElastiService } from '@elasti/api';
import {
  formatRef,
  type Frozen,
  type KubeClient,
  type KubeObject,
  NotFoundError,
  type ObjectRef,
  type ResourceDefinition,
} from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import { fieldManager } from '../../names';

/** What is read of a KEDA ScaledObject. */
interface ScaledObject extends KubeObject {
  spec?: { minReplicaCount?: number };
}

const ScaledObject: ResourceDefinition<ScaledObject> = Object.freeze({
  group: 'keda.sh',
  version: 'v1alpha1',
  kind: 'ScaledObject',
  plural: 'scaledobjects',
  namespaced: true,
});

const paused = 'autoscaling.keda.sh/paused';
const pausedReplicas = 'autoscaling.keda.sh/paused-replicas';
/** Ours: until when KEDA is kept from undoing a wake; with a sleep it is the time of that, so that a pause which outlives its sleep is known as ours. */
const heldUntil = 'elasti.truefoundry.com/held-until';
const unpaused = { [paused]: 'false', [pausedReplicas]: null, [heldUntil]: null };

type KedaClient = Pick<KubeClient, 'find' | 'patch'>;

/** `held`: KEDA would scale an idle target back to zero, so it is paused at the replicas of the wake until the cooldown is over. */
export type UnpauseOutcome = 'unpaused' | 'held' | 'no scaled object';

/** Keeps KEDA's hands off a target while it sleeps and while it has just been woken. Does nothing for services that KEDA does not scale. */
export class KedaOps {
  constructor(
    private readonly client: KedaClient,
    private readonly directory: Pick<ElastiDirectory, 'onTargetOf'>,
  ) {}

  /** Paused at zero, so that KEDA and the sleep want the same. A ScaledObject that is gone cannot interfere. */
  async pause(elastiService: Frozen<ElastiService>, nowMs: number, signal: AbortSignal): Promise<void> {
    for (const ref of this.scaledObjectsOf(elastiService)) {
      await this.annotate(ref, { [paused]: 'true', [pausedReplicas]: '0', [heldUntil]: new Date(nowMs).toISOString() }, signal);
    }
  }

  async unpause(elastiService: Frozen<ElastiService>, replicas: number, holdUntilMs: number, signal: AbortSignal): Promise<UnpauseOutcome> {
    const outcomes = await Promise.all(
      this.scaledObjectsOf(elastiService).map((ref) => this.unpauseOne(ref, replicas, new Date(holdUntilMs).toISOString(), signal)),
    );
    return outcomes.find((outcome) => outcome === 'held') ?? outcomes.find((outcome) => outcome === 'unpaused') ?? 'no scaled object';
  }

  /** KEDA does as it likes again. */
  async release(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<void> {
    for (const ref of this.scaledObjectsOf(elastiService)) await this.annotate(ref, unpaused, signal);
  }

  /** Lets go of the ScaledObject that this one itself names, and of no sharer's. */
  async releaseOne(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<void> {
    const ref = scaledObjectOf(elastiService);
    if (ref) await this.annotate(ref, unpaused, signal);
  }

  /** For a target that is awake: lets go of a ScaledObject that a wake or a sleep has held; how long it is still held otherwise, 0 when it is not. */
  async letGo(elastiService: Frozen<ElastiService>, nowMs: number, signal: AbortSignal): Promise<{ heldForMs: number }> {
    const heldForMs = await Promise.all(this.scaledObjectsOf(elastiService).map((ref) => this.letGoOne(ref, nowMs, signal)));
    return { heldForMs: Math.max(0, ...heldForMs) };
  }

  private async letGoOne(ref: ObjectRef, nowMs: number, signal: AbortSignal): Promise<number> {
    const found = await this.client.find(ScaledObject, ref, { signal });
    const until = found?.metadata.annotations?.[heldUntil];
    if (until === undefined) return 0;
    const heldForMs = (Date.parse(until) || 0) - nowMs;
    if (heldForMs <= 0) await this.annotate(ref, unpaused, signal);
    return heldForMs;
  }

  private async unpauseOne(ref: ObjectRef, replicas: number, until: string, signal: AbortSignal): Promise<UnpauseOutcome> {
    const written = await this.annotate(ref, unpaused, signal);
    if (!written) return 'no scaled object';
    if ((written.spec?.minReplicaCount ?? 0) > 0) return 'unpaused';
    await this.annotate(ref, { [paused]: 'true', [pausedReplicas]: String(replicas), [heldUntil]: until }, signal);
    return 'held';
  }

  /** Of all that scale the target: whoever sleeps or wakes it does so for the others, too. */
  private scaledObjectsOf(elastiService: Frozen<ElastiService>): ObjectRef[] {
    const refs = [elastiService, ...this.directory.onTargetOf(elastiService)].flatMap((sharer) => scaledObjectOf(sharer) ?? []);
    return [...new Map(refs.map((ref) => [formatRef(ref), ref])).values()];
  }

  private async annotate(
    ref: ObjectRef,
    annotations: Record<string, string | null>,
    signal: AbortSignal,
  ): Promise<ScaledObject | undefined> {
    try {
      const body = { metadata: { annotations } };
      return await this.client.patch(ScaledObject, ref, { type: 'merge', body }, { signal, fieldManager });
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }
}

export function scaledObjectOf({ metadata, spec }: Frozen<ElastiService>): ObjectRef | undefined {
  return spec.autoscaler?.type === 'keda' ? { namespace: metadata.namespace, name: spec.autoscaler.name } : undefined;
}
