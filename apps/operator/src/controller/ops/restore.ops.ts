import type { ElastiService } from '@elasti/api';
import { formatRef, type Frozen, isConditionTrue, type Logger, refOf } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import type { Rehearsals, ResolverPods } from '../../resolvers';
import type { OperatorConfig } from '../../operator.config';
import { isProxiedByAnother } from '../decisions/left-by-another';
import { settleMsOf } from '../decisions/settle-time';
import type { Standing } from '../standing';
import type { Waker } from '../waker';
import type { EndpointSliceOps } from './endpoint-slice.ops';
import type { KedaOps } from './keda.ops';
import type { ModeOps } from './mode.ops';
import type { RouteOps } from './route.ops';
import type { Scene } from './scene.ops';
import type { ServiceOps } from './service.ops';
import type { ObservedTarget } from './target.ops';

/**
 * `waiting`: the target is on its way back, and until then the resolvers stay; `settling`: they have left, and the data plane is about to hear of it;
 * `restored`: nothing of ours is left.
 */
export type RestoreOutcome = 'waiting' | 'settling' | 'restored';

export interface RestoreDependencies {
  readonly slices: EndpointSliceOps;
  readonly modes: Pick<ModeOps, 'proxy' | 'serve'>;
  readonly services: ServiceOps;
  readonly routes: RouteOps;
  readonly rehearsals: Pick<Rehearsals, 'forget'>;
  readonly waker: Waker;
  readonly directory: ElastiDirectory;
  readonly keda: Pick<KedaOps, 'release'>;
  readonly standing: Standing;
  readonly config: Pick<OperatorConfig, 'traffic'>;
  readonly resolvers: Pick<ResolverPods, 'ready'>;
  readonly logger: Logger;
}

const withdrawnFact = 'the resolvers have left';

/**
 * Gives a Service and its target back as they were before Elasti: first the pods, then the resolvers leave, then everything else of ours goes.
 *
 * What resolvers find pods by outlives their slices by the settle time, because the data plane still sends them requests for a moment.
 */
export class RestoreOps {
  constructor(private readonly dependencies: RestoreDependencies) {}

  /** Brings the target back, waits for its pods, lets KEDA go, and removes everything of ours. What was never touched stays untouched. */
  async giveBack(elastiService: Frozen<ElastiService>, scene: Scene, signal: AbortSignal): Promise<RestoreOutcome> {
    if (this.holds(elastiService)) {
      if ((await this.wake(elastiService, scene, signal)) === 'waiting') {
        await this.keepInStep(elastiService, scene, signal);
        return 'waiting';
      }
      await this.dependencies.keda.release(elastiService, signal);
    }
    if ((await this.withdraw(elastiService, scene, signal)) === 'settling') return 'settling';
    if (isProxiedByAnother(elastiService)) {
      for (const service of scene.services) await this.dependencies.slices.withdrawUnmarked(service, signal);
    }
    await this.keepOnly(elastiService, [], signal);
    return 'restored';
  }

  /**
   * Resolvers come and go while the pods take their time, and none may be left of those that were there before an outage: whoever is led to a pod that
   * is gone waits for nothing. What fails here is tried again with the next look, which must not come later for it.
   */
  private async keepInStep(elastiService: Frozen<ElastiService>, scene: Scene, signal: AbortSignal): Promise<void> {
    if (this.namesWhoIsThere(elastiService)) return;
    const { routes, modes, logger } = this.dependencies;
    try {
      const { services } = await routes.route(elastiService, scene.services, signal);
      if (this.isProxied(elastiService)) await modes.proxy(elastiService, services, 'known', signal);
      else await modes.serve(elastiService, services, 'on', signal);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn('the resolvers of a service that is given back could not be renewed', { object: formatRef(refOf(elastiService)), error });
    }
  }

  private namesWhoIsThere(elastiService: Frozen<ElastiService>): boolean {
    const { slices, resolvers } = this.dependencies;
    const ready = new Set(resolvers.ready().map(({ address }) => address));
    const named = slices.addresses(elastiService);
    return named.length > 0 && named.every((address) => ready.has(address));
  }

  /** Only those who took traffic are waited for. */
  private async withdraw(elastiService: Frozen<ElastiService>, { services }: Scene, signal: AbortSignal): Promise<RestoreOutcome> {
    const { slices, standing, config } = this.dependencies;
    const key = formatRef(refOf(elastiService));
    const isTaking = this.isProxied(elastiService);
    if (isTaking) await slices.keepOnly(elastiService, [], signal);
    if (!isTaking && !standing.held(key, withdrawnFact)) return 'restored';
    const goneForMs = standing.holdsForMs(key, withdrawnFact, true) ?? 0;
    if (goneForMs < settleMsOf(services, config.traffic)) return 'settling';
    standing.forget(key, [withdrawnFact]);
    return 'restored';
  }

  private isProxied(elastiService: Frozen<ElastiService>): boolean {
    const { service, additionalServices = [] } = elastiService.spec;
    return [service, ...additionalServices].some((name) => this.dependencies.slices.published(elastiService, name, 'proxy').length > 0);
  }

  /** Another one speaks for its Service now, and takes over what leads to the resolvers; a target that only this one scaled must not stay asleep. */
  async handOver(elastiService: Frozen<ElastiService>, { target }: Scene, services: readonly string[], signal: AbortSignal): Promise<void> {
    const isLeftAsleep = !('problem' in target) && target.replicas === 0 && this.holds(elastiService) && this.isAlone(elastiService);
    if (isLeftAsleep) await this.dependencies.waker.wake(asActive(elastiService), 'another speaks for its Service now', signal);
    await this.keepOnly(elastiService, services, signal);
  }

  /** Removes what belongs to Services that the ElastiService no longer has, or to all of them. */
  async keepOnly(elastiService: Frozen<ElastiService>, services: readonly string[], signal: AbortSignal): Promise<void> {
    const { namespace = '', uid } = elastiService.metadata;
    const routed = (elastiService.status?.routes ?? []).map(({ service }) => service);
    const gone = [...new Set([...this.dependencies.services.followed(elastiService), ...routed])].filter(
      (service) => !services.includes(service),
    );
    await this.dependencies.slices.keepOnly(elastiService, services, signal);
    const isOthers = (service: string) => {
      const speaker = this.dependencies.directory.forService(namespace, service);
      return speaker !== undefined && speaker.metadata.uid !== uid;
    };
    for (const service of gone.filter((name) => !isOthers(name))) {
      await this.dependencies.routes.release(namespace, service, signal);
      this.dependencies.rehearsals.forget(namespace, service);
    }
    // Last, because it is what the others are found by.
    await this.dependencies.services.keepOnly(elastiService, services, signal);
  }

  /** Whether something of ours stands beside or in for its pods, or has put them to sleep. */
  private holds(elastiService: Frozen<ElastiService>): boolean {
    const { mode, conditions } = elastiService.status ?? {};
    const isAsleep = mode === 'proxy' || isConditionTrue(conditions, 'ScaledDown');
    return isAsleep || this.dependencies.slices.hasAny(elastiService) || this.dependencies.services.followed(elastiService).length > 0;
  }

  /** `waiting` until its pods have been ready for the grace, as long as a slice of ours, be it on standby, may be all that the Service has. */
  private async wake(
    elastiService: Frozen<ElastiService>,
    { target, services, readyForMs, claimedBy }: Scene,
    signal: AbortSignal,
  ): Promise<RestoreOutcome> {
    if ('problem' in target || target.workload.metadata.deletionTimestamp) return 'restored';
    if (claimedBy !== undefined && !this.isAlone(elastiService)) return 'restored';
    if (target.replicas === 0) await this.dependencies.waker.wake(asActive(elastiService), 'it is given back', signal);
    const isServing = target.replicas > 0 && (readyForMs ?? -1) >= this.dependencies.config.traffic.graceMs;
    const isStoodInFor = services.length > 0 && this.dependencies.slices.hasAny(elastiService) && this.wasAsleep(elastiService, target);
    return isServing || !isStoodInFor ? 'restored' : 'waiting';
  }

  /** Pods that fail while they are awake were never replaced by a resolver, and nobody waits for them. */
  private wasAsleep(elastiService: Frozen<ElastiService>, target: ObservedTarget): boolean {
    const { status, metadata } = elastiService;
    const isWokenForThis = Date.parse(status?.lastScaledUpTime ?? '') >= Date.parse(metadata.deletionTimestamp ?? '');
    return this.isProxied(elastiService) || target.replicas === 0 || status?.mode === 'proxy' || isWokenForThis;
  }

  /** No other that acts scales the same target. */
  private isAlone(elastiService: Frozen<ElastiService>): boolean {
    const isOther = (other: Frozen<ElastiService>) => other.metadata.uid !== elastiService.metadata.uid;
    return !this.dependencies.directory
      .onTargetOf(elastiService)
      .some((other) => isOther(other) && other.spec.mode !== 'DryRun' && this.dependencies.directory.speaks(other));
  }
}

/** A dry run that began while it slept must still give the target back. */
function asActive(elastiService: Frozen<ElastiService>): Frozen<ElastiService> {
  return { ...elastiService, spec: { ...elastiService.spec, mode: 'Active' } };
}
