import type { ElastiService } from '@elasti/api';
import {
  type Frozen,
  type KubeClient,
  type KubeObject,
  NotFoundError,
  type ObjectRef,
  type ResourceDefinition,
} from '@elasti/operator-kit';
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
  constructor(private readonly client: KedaClient) {}

  /** Paused at zero, so that KEDA and the sleep want the same. A ScaledObject that is gone cannot interfere. */
  async pause(elastiService: Frozen<ElastiService>, nowMs: number, signal: AbortSignal): Promise<void> {
    const ref = scaledObjectOf(elastiService);
    if (ref) await this.annotate(ref, { [paused]: 'true', [pausedReplicas]: '0', [heldUntil]: new Date(nowMs).toISOString() }, signal);
  }

  async unpause(elastiService: Frozen<ElastiService>, replicas: number, holdUntilMs: number, signal: AbortSignal): Promise<UnpauseOutcome> {
    const ref = scaledObjectOf(elastiService);
    if (!ref) return 'no scaled object';
    const written = await this.annotate(ref, unpaused, signal);
    if (!written) return 'no scaled object';
    if ((written.spec?.minReplicaCount ?? 0) > 0) return 'unpaused';
    const held = {
      [paused]: 'true',
      [pausedReplicas]: String(replicas),
      [heldUntil]: new Date(holdUntilMs).toISOString(),
    };
    await this.annotate(ref, held, signal);
    return 'held';
  }

  /** KEDA does as it likes again. */
  async release(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<void> {
    const ref = scaledObjectOf(elastiService);
    if (ref) await this.annotate(ref, unpaused, signal);
  }

  /** For a target that is awake: lets go of a ScaledObject that a wake or a sleep has held; how long it is still held otherwise, 0 when it is not. */
  async letGo(elastiService: Frozen<ElastiService>, nowMs: number, signal: AbortSignal): Promise<{ heldForMs: number }> {
    const ref = scaledObjectOf(elastiService);
    const found = ref && (await this.find(ref, signal));
    const until = found?.metadata.annotations?.[heldUntil];
    if (!ref || until === undefined) return { heldForMs: 0 };
    const heldForMs = (Date.parse(until) || 0) - nowMs;
    if (heldForMs > 0) return { heldForMs };
    await this.annotate(ref, unpaused, signal);
    return { heldForMs: 0 };
  }

  private find(ref: ObjectRef, signal: AbortSignal): Promise<ScaledObject | undefined> {
    return this.client.find(ScaledObject, ref, { signal });
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
