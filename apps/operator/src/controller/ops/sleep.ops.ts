import { cooldownSOf, ElastiService } from '@elasti/api';
import { type Clock, type Frozen, type KubeClient, type KubeObject, type ObjectEvents, refOf } from '@elasti/operator-kit';
import { formatTargetName } from '../../informer';
import type { OperatorMetrics } from '../../metrics';
import { fieldManager } from '../../names';
import type { ActivitySource, ServiceName } from '../../resolvers';
import { stillHeld, targetOf } from '../decisions/held-target';
import type { Waker } from '../waker';
import type { KedaOps } from './keda.ops';
import type { TargetOps } from './target.ops';

export interface SleepDependencies {
  readonly client: Pick<KubeClient, 'find' | 'patch'>;
  readonly target: Pick<TargetOps, 'read' | 'scale'>;
  readonly keda: Pick<KedaOps, 'pause' | 'release'>;
  readonly activity: Pick<ActivitySource, 'silence'>;
  readonly waker: Waker;
  readonly clock: Clock;
  readonly metrics: OperatorMetrics;
  readonly eventsFor: (object: Frozen<KubeObject>) => ObjectEvents;
}

export interface SleepRequest {
  /** All that scale the target, the one being reconciled included: a wake may come through any of them. */
  readonly sharers: readonly Frozen<ElastiService>[];
  readonly services: readonly ServiceName[];
  readonly reason: string;
  /** How long the resolvers have been in the Services; what they saw before is no news. */
  readonly publishedForMs: number;
  /** `asked`: a trigger wants no request to have been seen since then. */
  readonly silence: 'asked' | 'not asked';
}

/** `busy`: it counts as busy now; `changed`: it was woken or edited since this reconcile began, so look again. */
export type SleepOutcome = { readonly kind: 'asleep' | 'changed' } | { readonly kind: 'busy'; readonly reason: string };

/**
 * Takes the last pod away, once the resolvers are in its place.
 *
 * The scale is written with the version that was read, and the stamp of the last wake is looked at once more after it: a wake that came in
 * between saw the pods still there and did nothing, and is made up for here.
 */
export class SleepOps {
  constructor(private readonly dependencies: SleepDependencies) {}

  async scaleDown(elastiService: Frozen<ElastiService>, request: SleepRequest, signal: AbortSignal): Promise<SleepOutcome> {
    const { target, keda, waker } = this.dependencies;
    const traffic = await this.findTraffic(request, signal);
    if (traffic !== undefined) {
      await waker.stampBusy(elastiService, signal);
      return { kind: 'busy', reason: traffic };
    }

    const before = await this.readAll(request.sharers, signal);
    if (before.some((live, position) => this.isOther(live, request.sharers[position]))) return { kind: 'changed' };
    const wakeIfAsked = async () => {
      const after = await this.readAll(request.sharers, signal);
      const asked = after.find((live, position) => live?.status?.lastScaledUpTime !== before[position]?.status?.lastScaledUpTime);
      if (asked) await waker.wake(asked, 'it was asked for while it fell asleep', signal);
      return asked !== undefined;
    };
    await this.remember(before, signal);
    await keda.pause(elastiService, this.dependencies.clock.now(), signal);
    try {
      const scale = await target.read(elastiService, signal);
      if ((scale.spec.replicas ?? 0) > 0) await this.scaleToZero(elastiService, scale, request.reason, signal);
    } catch (error) {
      // KEDA, left paused at zero, would put it to sleep by itself.
      if (!(await wakeIfAsked())) await keda.release(elastiService, signal);
      throw error;
    }
    return { kind: (await wakeIfAsked()) ? 'changed' : 'asleep' };
  }

  private readAll(sharers: readonly Frozen<ElastiService>[], signal: AbortSignal): Promise<(ElastiService | undefined)[]> {
    return Promise.all(sharers.map((sharer) => this.dependencies.client.find(ElastiService, refOf(sharer), { signal })));
  }

  /** Before anything is touched: should the spec name another target a moment later, this one must be given back. The status mostly says it already. */
  private async remember(sharers: readonly (ElastiService | undefined)[], signal: AbortSignal): Promise<void> {
    const options = { subresource: 'status', signal, fieldManager } as const;
    for (const sharer of sharers) {
      if (!sharer || stillHeld(sharer)) continue;
      const { apiVersion, kind, name, autoscaler = null } = targetOf(sharer);
      const body = { status: { heldTarget: { apiVersion, kind, name, autoscaler } } };
      await this.dependencies.client.patch(ElastiService, refOf(sharer), { type: 'merge', body }, options);
    }
  }

  private async scaleToZero(
    elastiService: Frozen<ElastiService>,
    scale: Awaited<ReturnType<TargetOps['read']>>,
    reason: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { target, metrics, eventsFor } = this.dependencies;
    const { namespace = '' } = elastiService.metadata;
    const { service } = elastiService.spec;
    const events = eventsFor(elastiService);
    try {
      await target.scale(elastiService, scale, 0, signal);
    } catch (error) {
      const note = `could not be put to sleep: ${error instanceof Error ? error.message : String(error)}`;
      events.emit({ type: 'Warning', reason: 'FailedToScale', action: 'Sleep', note });
      metrics.scaled(namespace, service, 'scale-down', 'error', formatTargetName(elastiService));
      throw error;
    }
    events.emit({ type: 'Normal', reason: 'SuccessToScale', action: 'Sleep', note: `scaled down to 0: ${reason}` });
    metrics.scaled(namespace, service, 'scale-down', 'success', formatTargetName(elastiService));
  }

  private async findTraffic({ services, publishedForMs, silence }: SleepRequest, signal: AbortSignal): Promise<string | undefined> {
    const heard = await this.dependencies.activity.silence(services, signal);
    switch (heard.state) {
      case 'active':
        return 'requests are open through a resolver';
      case 'unknown':
        return heard.problem;
      case 'silent':
        if (silence === 'not asked' || heard.forMs >= publishedForMs) return undefined;
        return heard.since === 'a request'
          ? 'requests came through a resolver'
          : 'a resolver has not been counting requests for as long as silence is asked for';
    }
  }

  /** The verdict was about another state than the API server has now. */
  private isOther(live: ElastiService | undefined, judged: Frozen<ElastiService> | undefined): boolean {
    if (!live || !judged) return true;
    const { uid, generation, deletionTimestamp } = live.metadata;
    const stampedMs = Date.parse(live.status?.lastScaledUpTime ?? '');
    const isCoolingDown = this.dependencies.clock.now() - stampedMs < cooldownSOf(live.spec) * 1000;
    const isEdited = uid !== judged.metadata.uid || generation !== judged.metadata.generation || deletionTimestamp !== undefined;
    return isEdited || isCoolingDown || live.status?.lastScaledUpTime !== judged.status?.lastScaledUpTime;
  }
}
