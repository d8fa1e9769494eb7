import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import type { IdleReport, TargetScales } from '../../controller';
import { decideIdle, formatProblem, type IdleDecision, type IdleInputs, needsTriggers } from '../decide-idle';
import { PeriodMemory } from '../schedule';
import type { QueryRound, TriggerReader, TriggerReadings } from '../triggers';
import { identityOf } from '../identity';
import type { RoundActivity } from './round-activity';

/** What all judgements of one round share. */
export interface RoundContext {
  readonly nowMs: number;
  readonly queries: Pick<QueryRound, 'evaluate'>;
  readonly activity: Pick<RoundActivity, 'of'>;
  readonly signal: AbortSignal;
}

/** What one round found about one service, by itself: others on its target have not been heard. */
export interface Judgement extends Pick<IdleReport, 'silenceMs' | 'triggers'> {
  readonly decision: IdleDecision;
}

/**
 * Gathers what the decision about a service rests on, and asks nobody whose word could not change it: triggers neither without a target nor outside of
 * the period, resolvers only when the service could sleep otherwise.
 *
 * Remembers when each service was last busy, since that is not written to its status every time.
 */
export class IdleJudge {
  private readonly lastBusyMs = new Map<string, number>();
  private readonly periods = new PeriodMemory();

  constructor(
    private readonly scales: TargetScales,
    private readonly triggers: TriggerReader,
  ) {}

  async judge(elastiService: Frozen<ElastiService>, round: RoundContext): Promise<Judgement> {
    const circumstances = await this.circumstancesOf(elastiService, round);
    const readings = needsTriggers(circumstances) ? await this.triggers.read(elastiService, round.queries) : undefined;
    const decision = await this.decide(elastiService, { ...circumstances, triggerOutcomes: readings?.outcomes ?? [] }, round);
    if (decision.isBusy) this.lastBusyMs.set(identityOf(elastiService), round.nowMs);
    return { decision, triggers: triggersHealth(readings), silenceMs: readings?.silenceMs ?? 0 };
  }

  /** Forgets all others. */
  keepOnly(identities: ReadonlySet<string>): void {
    for (const identity of this.lastBusyMs.keys()) if (!identities.has(identity)) this.lastBusyMs.delete(identity);
  }

  private async decide(
    elastiService: Frozen<ElastiService>,
    inputs: Omit<IdleInputs, 'activity'>,
    round: RoundContext,
  ): Promise<IdleDecision> {
    const decision = decideIdle({ ...inputs, activity: 'quiet' });
    return decision.verdict === 'sleep' ? decideIdle({ ...inputs, activity: await round.activity.of(elastiService) }) : decision;
  }

  private async circumstancesOf(
    elastiService: Frozen<ElastiService>,
    { nowMs, signal }: RoundContext,
  ): Promise<Omit<IdleInputs, 'activity' | 'triggerOutcomes'>> {
    const { metadata, spec, status } = elastiService;
    return {
      spec,
      nowMs,
      createdAtMs: Date.parse(metadata.creationTimestamp ?? ''),
      lastScaledUpMs: status?.lastScaledUpTime === undefined ? undefined : Date.parse(status.lastScaledUpTime),
      lastBusyMs: this.lastBusyMs.get(identityOf(elastiService)),
      period: this.periods.stateOf(spec.enabledPeriod, nowMs),
      replicas: await this.scales.replicasOf(elastiService, signal),
    };
  }
}

function triggersHealth(readings: TriggerReadings | undefined): IdleReport['triggers'] {
  if (!readings) return 'unknown';
  const failed = readings.outcomes.findIndex((outcome) => typeof outcome === 'object');
  const outcome = readings.outcomes[failed];
  return typeof outcome === 'object' ? { problem: formatProblem(outcome.error, failed) } : 'healthy';
}
