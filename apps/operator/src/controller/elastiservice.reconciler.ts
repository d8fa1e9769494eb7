import type { ElastiService } from '@elasti/api';
import {
  type Clock,
  done,
  findCondition,
  formatRef,
  type Frozen,
  type ReconcileContext,
  type Reconciler,
  type ReconcileResult,
  refOf,
  requeueAfter,
  type Service,
} from '@elasti/operator-kit';
import type { OperatorMetrics } from '../metrics';
import { DryRunAccount, formatDryRun } from '../scale-down/dry-run';
import { awake, buildConditions, type Facts, heldByKeda, joinRemarks, type SleepState } from './decisions/build-conditions';
import { modeOf } from './decisions/decide-mode';
import { findObstacle, type Obstacle } from './decisions/find-obstacle';
import { decideHeldTarget, stillHeld } from './decisions/held-target';
import type { IdleReports } from './idle-reports';
import type { FormerTargetOps } from './ops/former-target.ops';
import type { KedaOps } from './ops/keda.ops';
import type { Findings, LifecycleOps } from './ops/lifecycle.ops';
import type { RestoreOps, RestoreOutcome } from './ops/restore.ops';
import type { RouteOps, RoutedServices } from './ops/route.ops';
import { readyFact, type Scene, type SceneOps } from './ops/scene.ops';
import type { ServiceOps } from './ops/service.ops';
import type { TrafficOps } from './ops/traffic.ops';
import type { Standing } from './standing';
import type { Waker } from './waker';

export interface ReconcilerDependencies {
  readonly scenes: SceneOps;
  readonly routes: RouteOps;
  readonly services: ServiceOps;
  readonly traffic: TrafficOps;
  readonly restores: RestoreOps;
  readonly formerTargets: FormerTargetOps;
  readonly keda: KedaOps;
  readonly wakes: Pick<Waker, 'isRushed'>;
  readonly lifecycle: LifecycleOps;
  readonly reports: Pick<IdleReports, 'of'>;
  readonly standing: Standing;
  readonly clock: Clock;
  readonly metrics: OperatorMetrics;
}

/** How often to look at a target that is on its way back. */
const lookAgainMs = 1_000;
/** While many wakes are under way. */
const afterRushMs = 1_000;
/** For a target whose API is not there yet, which no watch announces. */
const targetAgainMs = 30_000;
/** While one sleeps that needs a resolver on every node: no watch tells of a new node. */
const nodesAgainMs = 30_000;
/** A target that does not become ready must not hold its deleted ElastiService, and its namespace, for ever. */
const longestRestoreMs = 5 * 60_000;

const leavingFact = 'is being given back';

const nothingRouted: RoutedServices = { services: [], routes: [], remarks: [], disputes: [] };

/**
 * Orders the steps that keep one ElastiService's traffic where it belongs.
 *
 * Each step looks at what is there and may be repeated or cut off at any point: the next reconcile goes on from what it finds.
 */
export class ElastiServiceReconciler implements Reconciler<ElastiService> {
  constructor(private readonly dependencies: ReconcilerDependencies) {}

  async reconcile(cached: Frozen<ElastiService>, { signal }: ReconcileContext): Promise<ReconcileResult> {
    if (this.dependencies.wakes.isRushed) return requeueAfter(afterRushMs, 'wakes come first');
    return this.measure(async () => {
      const elastiService = this.dependencies.lifecycle.freshest(cached);
      await this.dependencies.formerTargets.giveBack(elastiService, signal);
      const scene = await this.dependencies.scenes.observe(elastiService, signal);
      const obstacle = findObstacle(elastiService, scene);
      if (obstacle) return this.standAside(elastiService, scene, obstacle, signal);
      return this.keepInStep(elastiService, scene, signal);
    });
  }

  /** The pods come back first, for as long as they may take; then everything of ours goes, and KEDA is let go. */
  async finalize(elastiService: Frozen<ElastiService>, { signal, logger, events }: ReconcileContext): Promise<ReconcileResult> {
    const { restores, keda, standing, metrics } = this.dependencies;
    const { namespace = '', name = '' } = elastiService.metadata;
    // Since the first try, not since the deletion: nobody brought the target back while no operator was there.
    const isOverdue = (standing.holdsForMs(formatRef(refOf(elastiService)), leavingFact, true) ?? 0) >= longestRestoreMs;
    try {
      const outcome = await this.giveBack(elastiService, signal).catch((error: unknown) => {
        if (!isOverdue || signal.aborted) throw error;
        logger.warn('the target cannot be given back', { error });
        return 'waiting' as const;
      });
      if (outcome === 'settling') return requeueAfter(lookAgainMs, 'the data plane has not heard yet that the resolvers have left');
      if (outcome === 'waiting' && !isOverdue) return requeueAfter(lookAgainMs, 'the target is on its way back');
      if (outcome === 'waiting') {
        logger.warn('the target did not come back in time and is left as it is');
        const { kind, name: target } = elastiService.spec.scaleTargetRef;
        const note = `${kind} ${target} did not come back within ${longestRestoreMs / 60_000} min and is left as it is: see that it has replicas`;
        events.emit({ type: 'Warning', reason: 'FailedToScale', action: 'GiveBack', note });
        await keda.release(elastiService, signal).catch((error: unknown) => logger.warn('KEDA cannot be let go', { error }));
        await restores.keepOnly(elastiService, [], signal);
      }
      this.forget(elastiService);
      metrics.finalized(namespace, name, outcome === 'restored' ? 'success' : 'error');
      return done;
    } catch (error) {
      metrics.finalized(namespace, name, 'error');
      throw error;
    }
  }

  private async giveBack(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<RestoreOutcome> {
    const { scenes, restores, formerTargets } = this.dependencies;
    await formerTargets.giveBack(elastiService, signal);
    return restores.giveBack(elastiService, await scenes.observe(elastiService, signal), signal);
  }

  private async keepInStep(elastiService: Frozen<ElastiService>, scene: Scene, signal: AbortSignal): Promise<ReconcileResult> {
    const { routes, services, traffic, restores, keda, clock } = this.dependencies;
    const { target } = scene;
    if ('problem' in target || scene.missing.includes(elastiService.spec.service)) {
      const found = { resolver: 'unknown', scaledDown: lastKnown(elastiService), heldTarget: stillHeld(elastiService) } as const;
      await this.report(elastiService, scene, found, undefined, signal);
      return 'problem' in target ? requeueAfter(targetAgainMs, 'the target may come') : done;
    }

    const routed = await routes.route(elastiService, scene.services, signal);
    for (const { service } of routed.services) await services.follow(elastiService, service, signal);
    // Refusals that are no obstacle.
    const unserved = joinRemarks([...scene.refusals, ...routed.disputes]);
    const workable = { target, readyForMs: scene.readyForMs, services: routed.services, unserved };
    const outcome = await traffic.move(elastiService, workable, signal);
    await restores.keepOnly(elastiService, servicesOf(elastiService), signal);
    const isAwake = outcome.step !== 'prepare' && outcome.scaledDown.status === 'False';
    const { heldForMs } = isAwake ? await keda.letGo(elastiService, clock.now(), signal) : { heldForMs: 0 };

    const scaledDown = heldForMs > 0 && outcome.scaledDown === awake ? heldByKeda : outcome.scaledDown;
    const heldTarget = decideHeldTarget(elastiService, { ...outcome, isKedaHeld: heldForMs > 0 });
    const found = { ...outcome, obstacle: unserved, scaledDown, mode: modeOf(outcome), heldTarget };
    await this.report(elastiService, scene, found, routed, signal);
    const nodesInMs = scaledDown.status === 'True' && scene.services.some(staysOnNode) ? nodesAgainMs : 0;
    const waits = [outcome.againInMs, heldForMs, nodesInMs].filter((waitMs) => waitMs !== undefined && waitMs > 0) as number[];
    return waits.length > 0 ? requeueAfter(Math.min(...waits), 'a wait is not over yet') : done;
  }

  /** It cannot or must not be put to sleep: what it has of ours is given back, and nothing else is touched. */
  private async standAside(
    elastiService: Frozen<ElastiService>,
    scene: Scene,
    obstacle: Obstacle,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { restores } = this.dependencies;
    const { remark, children } = obstacle;
    const outcome = children === 'give back' ? await restores.giveBack(elastiService, scene, signal) : 'restored';
    if (children === 'hand over') await restores.handOver(elastiService, scene, servicesOf(elastiService), signal);
    const mode = outcome === 'waiting' ? 'proxy' : 'serve';
    const scaledDown = this.sleepInDryRun(elastiService) ?? awake;
    const routed = outcome === 'restored' ? nothingRouted : undefined;
    const heldTarget = outcome === 'restored' ? undefined : stillHeld(elastiService);
    await this.report(elastiService, scene, { obstacle: remark, resolver: 'unknown', scaledDown, mode, heldTarget }, routed, signal);
    return outcome === 'restored' ? done : requeueAfter(lookAgainMs, 'it is being given back');
  }

  private sleepInDryRun({ spec, status }: Frozen<ElastiService>): SleepState | undefined {
    if (spec.mode !== 'DryRun') return undefined;
    const message = status?.dryRun
      ? formatDryRun(status.dryRun, this.dependencies.clock.now())
      : 'nothing is known yet of how long it would sleep';
    return { status: 'False', reason: 'DryRun', message };
  }

  private async report(
    elastiService: Frozen<ElastiService>,
    scene: Scene,
    found: Pick<Facts, 'resolver' | 'scaledDown' | 'obstacle'> & Pick<Findings, 'heldTarget'> & Partial<Pick<Findings, 'mode'>>,
    routed: RoutedServices | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const facts: Facts = {
      obstacle: found.obstacle,
      missingServices: scene.missing,
      warnings: [...scene.warnings, ...(routed?.remarks ?? [])],
      targetProblem: 'problem' in scene.target ? scene.target.problem : undefined,
      resolver: found.resolver,
      scaledDown: found.scaledDown,
      triggers: this.dependencies.reports.of(refOf(elastiService))?.triggers ?? 'unknown',
    };
    const findings: Findings = {
      mode: found.mode ?? elastiService.status?.mode ?? 'serve',
      routes: routed?.routes ?? elastiService.status?.routes ?? [],
      conditions: buildConditions(elastiService, facts),
      heldTarget: found.heldTarget,
    };
    await this.dependencies.lifecycle.report(elastiService, findings, signal);
    this.showDryRun(elastiService, scene);
  }

  /** Whoever speaks for its Service instead has the say about its series. */
  private showDryRun({ metadata, spec, status }: Frozen<ElastiService>, { claimedBy }: Scene): void {
    const { metrics, clock } = this.dependencies;
    const isDryRun = spec.mode === 'DryRun' && claimedBy === undefined;
    const account = isDryRun ? DryRunAccount.fromStatus(status?.dryRun) : undefined;
    const figures = account && { sleptSeconds: account.sleptSecondsAt(clock.now()), wakes: account.wakeCount };
    metrics.dryRun(metadata.namespace ?? '', metadata.name ?? '', spec.service, figures);
  }

  private async measure(work: () => Promise<ReconcileResult>): Promise<ReconcileResult> {
    const { clock, metrics } = this.dependencies;
    const startedMs = clock.monotonic();
    try {
      const result = await work();
      metrics.reconciled('success', (clock.monotonic() - startedMs) / 1000);
      return result;
    } catch (error) {
      metrics.reconciled('error', (clock.monotonic() - startedMs) / 1000);
      throw error;
    }
  }

  private forget(elastiService: Frozen<ElastiService>): void {
    const { traffic, standing, metrics, lifecycle } = this.dependencies;
    const { namespace = '', name = '' } = elastiService.metadata;
    traffic.forget(elastiService);
    lifecycle.forget(elastiService);
    standing.forget(formatRef(refOf(elastiService)), [readyFact, leavingFact]);
    metrics.forget(namespace, name, elastiService.spec.service);
  }
}

/** Without a target or Service there is nothing new to say about it. */
function lastKnown({ status }: Frozen<ElastiService>): SleepState {
  const before = findCondition(status?.conditions, 'ScaledDown');
  if (!before || before.status === 'Unknown') return awake;
  return { status: before.status, reason: before.reason, message: before.message };
}

function staysOnNode({ spec }: Frozen<Service>): boolean {
  return spec?.internalTrafficPolicy === 'Local';
}

function servicesOf({ spec }: Frozen<ElastiService>): string[] {
  return [spec.service, ...(spec.additionalServices ?? [])];
}
