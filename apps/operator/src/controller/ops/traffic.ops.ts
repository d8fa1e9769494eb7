import { cooldownSOf, type ElastiService } from '@elasti/api';
import { type Clock, formatRef, type Frozen, type KubeObject, type ObjectEvents, refOf } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../../crd-directory';
import type { OperatorConfig } from '../../operator.config';
import { asleep, awake, type Facts, fallingAsleep, type Remark, waking } from '../decisions/build-conditions';
import { decideAwake, howItFellAsleep, leftAwake } from '../decisions/sleep-words';
import { isProxiedByAnother } from '../decisions/left-by-another';
import { settleMsOf } from '../decisions/settle-time';
import { decideMode, type ModeStep } from '../decisions/decide-mode';
import type { IdleReport, IdleReports } from '../idle-reports';
import type { Pace } from '../pace';
import type { Standing } from '../standing';
import type { Waker } from '../waker';
import type { Hand, HandOps } from './hand.ops';
import type { ModeOps, ModeOutcome, RoutedService } from './mode.ops';
import type { RolloutOps } from './rollout.ops';
import type { Scene } from './scene.ops';
import type { SleepOps } from './sleep.ops';
import type { ObservedTarget } from './target.ops';

export interface TrafficDependencies {
  readonly modes: ModeOps;
  readonly sleeps: SleepOps;
  readonly hands: HandOps;
  readonly rollouts: RolloutOps;
  readonly waker: Waker;
  readonly reports: IdleReports;
  readonly directory: ElastiDirectory;
  readonly standing: Standing;
  /** How fast services come back when the resolvers are gone. */
  readonly pace: Pace;
  readonly clock: Clock;
  readonly config: Pick<OperatorConfig, 'traffic'>;
  readonly eventsFor: (object: Frozen<KubeObject>) => ObjectEvents;
}

/** What came of one look at who takes the traffic. */
export interface TrafficOutcome extends Pick<Facts, 'resolver' | 'scaledDown'> {
  readonly step: ModeStep['step'];
  /** When to look again, though nothing may have changed. */
  readonly againInMs?: number;
}

/** A target and Services that are there and fit. */
export interface Workable {
  readonly target: ObservedTarget;
  readonly readyForMs: Scene['readyForMs'];
  readonly services: readonly RoutedService[];
  /** Why the resolvers cannot take all of its traffic, though some may be ready: it stays awake, and comes back if it sleeps. */
  readonly unserved?: Remark;
}

/** When to ask resolvers again that could not take a Service's traffic: soon at first, since they may just be opening a port. */
const rehearseAgainMs = { least: 500, most: 15_000 };
const lookAgainMs = 1_000;

const preparedFact = 'is prepared for sleep';
const deafFact = 'has no resolver';
const rehearsalFact = 'has a resolver that cannot take it';
export const trafficFacts = [preparedFact, deafFact, rehearsalFact];

/** Moves the traffic of one ElastiService between its pods and the resolvers, one safe step at each call. */
export class TrafficOps {
  /** The ElastiServices whose resolvers have been in place long enough, by uid: those that share a target go together. */
  private readonly prepared = new Set<string>();

  constructor(private readonly dependencies: TrafficDependencies) {}

  async move(elastiService: Frozen<ElastiService>, scene: Workable, signal: AbortSignal): Promise<TrafficOutcome> {
    const { hands, waker, modes, standing, reports, pace, config } = this.dependencies;
    const hand = await hands.since(elastiService, scene.target, signal);
    if (hand.kind === 'interrupted') await waker.wake(elastiService, 'it was asked for while it fell asleep', signal);

    const key = formatRef(refOf(elastiService));
    const report = reports.of(refOf(elastiService));
    const reason = this.whyAwake(elastiService, scene, hand, report);
    const wantsSleep = report?.wants === 'sleep' && reason === undefined;
    const isPublished = modes.isPublished(elastiService, scene.services);
    const step = decideMode({
      replicas: scene.target.replicas,
      readyForMs: scene.readyForMs,
      publishedForMs: standing.holdsForMs(key, preparedFact, wantsSleep && isPublished),
      isProxySliceLeft: modes.isProxySliceLeft(elastiService, scene.services) || isProxiedByAnother(elastiService),
      wantsSleep,
      settleMs: Math.max(
        settleMsOf(
          scene.services.map(({ service }) => service),
          config.traffic,
        ),
        report?.silenceMs ?? 0,
      ),
      graceMs: config.traffic.graceMs,
    });
    if (step.step !== 'scale down') this.prepared.delete(elastiService.metadata.uid ?? '');
    if (step.step !== 'proxy') {
      standing.holdsForMs(key, deafFact, false);
      pace.forget(key);
    }
    return this.perform(step, elastiService, scene, { report, reason, hand }, signal);
  }

  /** Nothing is kept of what is gone. */
  forget(elastiService: Frozen<ElastiService>): void {
    const { standing, hands, reports, pace } = this.dependencies;
    this.prepared.delete(elastiService.metadata.uid ?? '');
    pace.forget(formatRef(refOf(elastiService)));
    standing.forget(formatRef(refOf(elastiService)), trafficFacts);
    hands.forget(elastiService);
    reports.forget(refOf(elastiService));
  }

  private async perform(
    step: ModeStep,
    elastiService: Frozen<ElastiService>,
    scene: Workable,
    known: { report?: IdleReport; reason?: Remark; hand: Hand },
    signal: AbortSignal,
  ): Promise<TrafficOutcome> {
    const { modes } = this.dependencies;
    switch (step.step) {
      case 'serve':
        return this.serve(elastiService, scene, known.reason, signal);
      case 'proxy': {
        const outcome = await modes.proxy(elastiService, scene.services, 'known', signal);
        const bringBackInMs = await this.bringBackWithoutResolver(elastiService, scene, outcome, signal);
        const isAsleep = scene.target.replicas === 0;
        const scaledDown = isAsleep ? howItFellAsleep(elastiService, known.hand) : (leftAwake(known.reason) ?? waking);
        const resolver = scene.unserved ?? remarkOn(outcome);
        return { step: 'proxy', resolver, scaledDown, againInMs: step.waitMs ?? bringBackInMs };
      }
      case 'prepare': {
        const outcome = await modes.proxy(elastiService, scene.services, 'fresh', signal);
        if (outcome.resolver === 'absent') return this.stayForLackOfResolver(elastiService, scene, outcome, signal);
        return { step: 'prepare', resolver: 'available', scaledDown: fallingAsleep, againInMs: step.waitMs ?? lookAgainMs };
      }
      case 'scale down':
        return this.scaleDown(elastiService, scene, known.report, signal);
    }
  }

  private async serve(
    elastiService: Frozen<ElastiService>,
    { services, unserved }: Workable,
    reason: Remark | undefined,
    signal: AbortSignal,
  ): Promise<TrafficOutcome> {
    const { standby } = elastiService.spec;
    const wanted = standby === undefined ? this.dependencies.config.traffic.standby : standby ? 'on' : 'off';
    const outcome = await this.dependencies.modes.serve(elastiService, services, wanted, signal);
    const againInMs = this.rehearseAgainInMs(elastiService, outcome);
    return {
      step: 'serve',
      resolver: unserved ?? remarkOn(outcome),
      scaledDown: leftAwake(reason) ?? awake,
      againInMs,
    };
  }

  private async scaleDown(
    elastiService: Frozen<ElastiService>,
    scene: Workable,
    report: IdleReport | undefined,
    signal: AbortSignal,
  ): Promise<TrafficOutcome> {
    const { modes, sleeps, standing, reports } = this.dependencies;
    const rehearsed = await modes.proxy(elastiService, scene.services, 'fresh', signal);
    if (rehearsed.resolver === 'absent') return this.stayForLackOfResolver(elastiService, scene, rehearsed, signal);

    this.prepared.add(elastiService.metadata.uid ?? '');
    const sharers = this.sharersOf(elastiService);
    if (!sharers.every(({ metadata }) => this.prepared.has(metadata.uid ?? ''))) {
      return { step: 'prepare', resolver: 'available', scaledDown: fallingAsleep, againInMs: lookAgainMs };
    }
    const request = {
      sharers,
      services: sharers.flatMap(servicesOf),
      reason: report?.reason ?? 'idle',
      // Whoever asks for silence among them has waited the longest.
      publishedForMs: Math.max(...sharers.map((sharer) => standing.holdsForMs(formatRef(refOf(sharer)), preparedFact, true) ?? 0)),
      silence: sharers.some((sharer) => (reports.of(refOf(sharer))?.silenceMs ?? 0) > 0) ? 'asked' : 'not asked',
    } as const;
    const outcome = await sleeps.scaleDown(elastiService, request, signal);
    switch (outcome.kind) {
      case 'asleep':
        // Used up: whoever scales it up now must not be undone by what was found before.
        for (const sharer of sharers) reports.forget(refOf(sharer));
        return { step: 'proxy', resolver: 'available', scaledDown: asleep };
      case 'changed':
        return { step: 'prepare', resolver: 'available', scaledDown: fallingAsleep, againInMs: lookAgainMs };
      case 'busy':
        return this.stayForTraffic(elastiService, scene, outcome.reason, signal);
    }
  }

  private async stayForTraffic(
    elastiService: Frozen<ElastiService>,
    scene: Workable,
    why: string,
    signal: AbortSignal,
  ): Promise<TrafficOutcome> {
    this.forgetPreparation(elastiService);
    const note = `stays awake: ${why}`;
    this.dependencies.eventsFor(elastiService).emit({ type: 'Normal', reason: 'StayedAwake', action: 'Sleep', note });
    return this.callOff(elastiService, scene, signal);
  }

  private async stayForLackOfResolver(
    elastiService: Frozen<ElastiService>,
    scene: Workable,
    { problem }: ModeOutcome,
    signal: AbortSignal,
  ): Promise<TrafficOutcome> {
    this.forgetPreparation(elastiService);
    const outcome = await this.callOff(elastiService, scene, signal);
    return { ...outcome, resolver: remarkOn({ resolver: 'absent', problem }), againInMs: rehearseAgainMs.most };
  }

  /** As if nobody had wanted it to sleep: the resolvers leave again, but not before its pods have been ready for the grace. */
  private callOff(elastiService: Frozen<ElastiService>, scene: Workable, signal: AbortSignal): Promise<TrafficOutcome> {
    const step = decideMode({
      replicas: scene.target.replicas,
      readyForMs: scene.readyForMs,
      publishedForMs: undefined,
      isProxySliceLeft: this.dependencies.modes.isProxySliceLeft(elastiService, scene.services),
      wantsSleep: false,
      settleMs: 0,
      graceMs: this.dependencies.config.traffic.graceMs,
    });
    return this.perform(step, elastiService, scene, { hand: { kind: 'nobody' } }, signal);
  }

  private forgetPreparation(elastiService: Frozen<ElastiService>): void {
    this.prepared.delete(elastiService.metadata.uid ?? '');
    this.dependencies.standing.holdsForMs(formatRef(refOf(elastiService)), preparedFact, false);
  }

  /** A Service must never point at nothing for long. */
  private async bringBackWithoutResolver(
    elastiService: Frozen<ElastiService>,
    { target, unserved }: Workable,
    { resolver, problem }: ModeOutcome,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { standing, pace, waker, eventsFor } = this.dependencies;
    const { resolverAbsenceMs } = this.dependencies.config.traffic;
    const key = formatRef(refOf(elastiService));
    const againInMs = this.rehearseAgainInMs(elastiService, { resolver, problem });
    const isDeaf = resolver === 'absent' || unserved !== undefined;
    const absentForMs = standing.holdsForMs(key, deafFact, isDeaf && target.replicas === 0);
    if (absentForMs === undefined) {
      pace.forget(key);
      return againInMs;
    }
    if (absentForMs < resolverAbsenceMs) return Math.min(resolverAbsenceMs - absentForMs, againInMs ?? Infinity);
    const waitMs = pace.waitMs(key);
    if (waitMs > 0) return waitMs;
    const why = unserved?.message ?? problem;
    const note = `woken because no resolver has been ready for it for ${resolverAbsenceMs / 1000} s${why === undefined ? '' : `: ${why}`}`;
    eventsFor(elastiService).emit({ type: 'Warning', reason: 'NoResolver', action: 'Wake', note });
    await waker.wake(elastiService, 'no resolver is ready', signal);
    return lookAgainMs;
  }

  private rehearseAgainInMs(elastiService: Frozen<ElastiService>, { problem }: ModeOutcome): number | undefined {
    const forMs = this.dependencies.standing.holdsForMs(formatRef(refOf(elastiService)), rehearsalFact, problem !== undefined);
    if (forMs === undefined) return undefined;
    return Math.min(Math.max(forMs, rehearseAgainMs.least), rehearseAgainMs.most);
  }

  private whyAwake(
    elastiService: Frozen<ElastiService>,
    { target, unserved }: Workable,
    hand: Hand,
    report: IdleReport | undefined,
  ): Remark | undefined {
    const { rollouts, clock } = this.dependencies;
    const stampedMs = Date.parse(elastiService.status?.lastScaledUpTime ?? '');
    const isOther = ({ metadata }: Frozen<ElastiService>) => metadata.uid !== elastiService.metadata.uid;
    return decideAwake({
      elastiService,
      hand,
      unserved,
      isAskedToSleep: report?.wants === 'sleep',
      isRolloutMoving: rollouts.healthOf(target) === 'moving',
      isCoolingDown: clock.now() - stampedMs < cooldownSOf(elastiService.spec) * 1000,
      sharers: this.sharersOf(elastiService).filter(isOther),
    });
  }

  /** All that have a say in the sleep of its target, itself included. */
  private sharersOf(elastiService: Frozen<ElastiService>): Frozen<ElastiService>[] {
    const { directory } = this.dependencies;
    return directory.onTargetOf(elastiService).filter((sharer) => sharer.spec.mode !== 'DryRun' && directory.speaks(sharer));
  }
}

function servicesOf({ metadata, spec }: Frozen<ElastiService>): { namespace: string; service: string }[] {
  return [spec.service, ...(spec.additionalServices ?? [])].map((service) => ({ namespace: metadata.namespace ?? '', service }));
}

function remarkOn({ resolver, problem }: ModeOutcome): Facts['resolver'] {
  if (resolver === 'available') return 'available';
  return problem === undefined
    ? { reason: 'NoReadyResolver', message: 'no resolver pod is ready' }
    : { reason: 'RehearsalFailed', message: `no resolver pod can take its traffic: ${problem}` };
}
