import { type ElastiService, type HeldTarget, minTargetReplicasOf } from '@elasti/api';
import { type Frozen, type KubeObject, type ObjectEvents, retryOnConflict } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import { formatTargetName } from '../../informer';
import type { OperatorMetrics } from '../../metrics';
import { sameWorkload, stillHeld, targetOf } from '../decisions/held-target';
import { TargetNotFoundError } from '../waker';
import type { KedaOps } from './keda.ops';
import type { TargetOps } from './target.ops';

export interface FormerTargetDependencies {
  readonly target: Pick<TargetOps, 'read' | 'scale'>;
  readonly keda: Pick<KedaOps, 'releaseOne'>;
  readonly directory: Pick<ElastiDirectory, 'onTargetOf' | 'speaks'>;
  readonly metrics: Pick<OperatorMetrics, 'scaled'>;
  readonly eventsFor: (object: Frozen<KubeObject>) => ObjectEvents;
}

/**
 * Gives back a workload that was put to sleep and that the spec no longer names: nobody else would wake it.
 *
 * What others scale as well is left to them. Costs nothing while the spec names what is held; may be repeated at any point.
 */
export class FormerTargetOps {
  constructor(private readonly dependencies: FormerTargetDependencies) {}

  async giveBack(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<void> {
    const held = elastiService.status?.heldTarget;
    if (!held || stillHeld(elastiService)) return;
    const { scaleTargetRef, autoscaler, ...spec } = elastiService.spec;
    const former = { ...elastiService, spec: { ...spec, scaleTargetRef: held, ...(held.autoscaler && { autoscaler: held.autoscaler }) } };
    const holders = this.holdersOf(elastiService, former, held);

    // First, or it would put the pods away again.
    await this.releaseKeda(former, holders, signal);
    if (holders.length === 0) await this.bringBack(former, signal);
  }

  /** Those that put this workload to sleep and wake it now. */
  private holdersOf(
    elastiService: Frozen<ElastiService>,
    former: Frozen<ElastiService>,
    held: Frozen<HeldTarget>,
  ): Frozen<ElastiService>[] {
    const { directory } = this.dependencies;
    const others = directory
      .onTargetOf(former)
      .filter((other) => other.metadata.uid !== elastiService.metadata.uid && other.spec.mode !== 'DryRun' && directory.speaks(other));
    return sameWorkload(held, targetOf(elastiService)) ? [elastiService, ...others] : others;
  }

  private async releaseKeda(former: Frozen<ElastiService>, holders: readonly Frozen<ElastiService>[], signal: AbortSignal): Promise<void> {
    const { autoscaler } = former.spec;
    const isNamed = holders.some(({ spec }) => spec.autoscaler?.type === 'keda' && spec.autoscaler.name === autoscaler?.name);
    if (!isNamed) await this.dependencies.keda.releaseOne(former, signal);
  }

  /** Only from zero: a number that somebody has set since is theirs. */
  private async bringBack(former: Frozen<ElastiService>, signal: AbortSignal): Promise<void> {
    const { target, metrics, eventsFor } = this.dependencies;
    const replicas = minTargetReplicasOf(former.spec);
    const events = eventsFor(former);
    const tell = (action: 'success' | 'error') =>
      metrics.scaled(former.metadata.namespace ?? '', former.spec.service, 'scale-up', action, formatTargetName(former));
    try {
      await retryOnConflict(
        () => target.read(former, signal),
        (read) => ((read.spec.replicas ?? 0) === 0 ? read : undefined),
        async (read) => {
          await target.scale(former, read, replicas, signal);
          const note = `${formatTargetName(former)} scaled up to ${replicas}: it slept, and the spec names another now`;
          events.emit({ type: 'Normal', reason: 'SuccessToScale', action: 'Wake', note });
          tell('success');
          return read;
        },
      );
    } catch (error) {
      if (error instanceof TargetNotFoundError) return;
      const problem = error instanceof Error ? error.message : String(error);
      events.emit({
        type: 'Warning',
        reason: 'FailedToScale',
        action: 'Wake',
        note: `${formatTargetName(former)} could not be given back: ${problem}`,
      });
      tell('error');
      throw error;
    }
  }
}
