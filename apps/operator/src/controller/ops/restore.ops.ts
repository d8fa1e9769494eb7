import type { ElastiService } from '@elasti/api';
import { type Frozen, isConditionTrue } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import type { Rehearsals } from '../../resolvers';
import type { Waker } from '../waker';
import type { EndpointSliceOps } from './endpoint-slice.ops';
import type { KedaOps } from './keda.ops';
import type { RouteOps } from './route.ops';
import type { Scene } from './scene.ops';
import type { ServiceOps } from './service.ops';
import type { ObservedTarget } from './target.ops';

/** `restored`: nothing of ours is left in the way; `waiting`: the target is on its way back, and until then the resolvers stay. */
export type RestoreOutcome = 'restored' | 'waiting';

/** Gives a Service and its target back as they were before Elasti: first the pods, then everything of ours goes. */
export class RestoreOps {
  constructor(
    private readonly slices: EndpointSliceOps,
    private readonly services: ServiceOps,
    private readonly routes: RouteOps,
    private readonly rehearsals: Pick<Rehearsals, 'forget'>,
    private readonly waker: Waker,
    private readonly directory: ElastiDirectory,
    private readonly keda: Pick<KedaOps, 'release'>,
  ) {}

  /** Brings the target back, waits for its pods, lets KEDA go, and removes everything of ours. What was never touched stays untouched. */
  async giveBack(elastiService: Frozen<ElastiService>, scene: Scene, graceMs: number, signal: AbortSignal): Promise<RestoreOutcome> {
    if (this.holds(elastiService)) {
      if ((await this.wake(elastiService, scene, graceMs, signal)) === 'waiting') return 'waiting';
      await this.keda.release(elastiService, signal);
    }
    await this.keepOnly(elastiService, [], signal);
    return 'restored';
  }

  /** Another one speaks for its Service now, and takes over what leads to the resolvers; a target that only this one scaled must not stay asleep. */
  async handOver(elastiService: Frozen<ElastiService>, { target }: Scene, services: readonly string[], signal: AbortSignal): Promise<void> {
    const isLeftAsleep = !('problem' in target) && target.replicas === 0 && this.holds(elastiService) && this.isAlone(elastiService);
    if (isLeftAsleep) await this.waker.wake(asActive(elastiService), 'another speaks for its Service now', signal);
    await this.keepOnly(elastiService, services, signal);
  }

  /** Removes what belongs to Services that the ElastiService no longer has, or to all of them. */
  async keepOnly(elastiService: Frozen<ElastiService>, services: readonly string[], signal: AbortSignal): Promise<void> {
    const { namespace = '', uid } = elastiService.metadata;
    const routed = (elastiService.status?.routes ?? []).map(({ service }) => service);
    const gone = [...new Set([...this.services.followed(elastiService), ...routed])].filter((service) => !services.includes(service));
    await this.slices.keepOnly(elastiService, services, signal);
    const isOthers = (service: string) => {
      const speaker = this.directory.forService(namespace, service);
      return speaker !== undefined && speaker.metadata.uid !== uid;
    };
    for (const service of gone.filter((name) => !isOthers(name))) {
      await this.routes.release(namespace, service, signal);
      this.rehearsals.forget(namespace, service);
    }
    // Last, because it is what the others are found by.
    await this.services.keepOnly(elastiService, services, signal);
  }

  /** Whether something of ours stands beside or in for its pods, or has put them to sleep. */
  private holds(elastiService: Frozen<ElastiService>): boolean {
    const { mode, conditions } = elastiService.status ?? {};
    const isAsleep = mode === 'proxy' || isConditionTrue(conditions, 'ScaledDown');
    return isAsleep || this.slices.hasAny(elastiService) || this.services.followed(elastiService).length > 0;
  }

  /** `waiting` until its pods have been ready for the grace, as long as a slice of ours, be it on standby, may be all that the Service has. */
  private async wake(
    elastiService: Frozen<ElastiService>,
    { target, services, readyForMs, claimedBy }: Scene,
    graceMs: number,
    signal: AbortSignal,
  ): Promise<RestoreOutcome> {
    if ('problem' in target || target.workload.metadata.deletionTimestamp) return 'restored';
    if (claimedBy !== undefined && !this.isAlone(elastiService)) return 'restored';
    if (target.replicas === 0) await this.waker.wake(asActive(elastiService), 'it is given back', signal);
    const isServing = target.replicas > 0 && (readyForMs ?? -1) >= graceMs;
    const isStoodInFor = services.length > 0 && this.slices.hasAny(elastiService) && this.wasAsleep(elastiService, target);
    return isServing || !isStoodInFor ? 'restored' : 'waiting';
  }

  /** Pods that fail while they are awake were never replaced by a resolver, and nobody waits for them. */
  private wasAsleep(elastiService: Frozen<ElastiService>, target: ObservedTarget): boolean {
    const { spec, status, metadata } = elastiService;
    const isProxied = [spec.service, ...(spec.additionalServices ?? [])].some(
      (service) => this.slices.published(elastiService, service, 'proxy').length > 0,
    );
    const isWokenForThis = Date.parse(status?.lastScaledUpTime ?? '') >= Date.parse(metadata.deletionTimestamp ?? '');
    return isProxied || target.replicas === 0 || status?.mode === 'proxy' || isWokenForThis;
  }

  /** No other that acts scales the same target. */
  private isAlone(elastiService: Frozen<ElastiService>): boolean {
    const isOther = (other: Frozen<ElastiService>) => other.metadata.uid !== elastiService.metadata.uid;
    return !this.directory
      .onTargetOf(elastiService)
      .some((other) => isOther(other) && other.spec.mode !== 'DryRun' && this.directory.speaks(other));
  }
}

/** A dry run that began while it slept must still give the target back. */
function asActive(elastiService: Frozen<ElastiService>): Frozen<ElastiService> {
  return { ...elastiService, spec: { ...elastiService.spec, mode: 'Active' } };
}
