import type { ElastiServiceSpec } from '@elasti/api';
import type { PeriodState } from './schedule';
import type { TriggerOutcome } from './triggers';

/** What the resolvers say about requests that are open or were seen just now; `unknown` when one of them did not answer. */
export type ResolverActivity = 'quiet' | 'active' | 'unknown';

/** All that the decision about one ElastiService in one poll rests on. */
export interface IdleInputs {
  readonly spec: Pick<ElastiServiceSpec, 'triggers' | 'cooldownPeriod' | 'mode'>;
  readonly nowMs: number;
  readonly createdAtMs: number;
  /** From the status: the last wake, or a poll that found it busy. */
  readonly lastScaledUpMs?: number;
  /** The last busy poll that this process remembers; fills the gap to the stamp, which is not written every time. */
  readonly lastBusyMs?: number;
  readonly period: PeriodState;
  /** One for each trigger of the spec, in its order. May be empty where `needsTriggers` says so. */
  readonly triggerOutcomes: readonly TriggerOutcome[];
  readonly activity: ResolverActivity;
  /** Replicas the target is asked to have; 0 is asleep. */
  readonly replicas: number;
}

/** What was found, by the first of these that is true. */
export type IdleVerdict =
  | 'no triggers'
  | 'invalid period'
  | 'outside period'
  | 'busy'
  | 'trigger error'
  | 'active at resolver'
  | 'activity unknown'
  | 'cooldown'
  | 'asleep'
  | 'sleep';

export type IdleAction = 'stay' | 'wake' | 'sleep';

export interface IdleDecision {
  readonly verdict: IdleVerdict;
  /** For a status or an event. */
  readonly reason: string;
  /** What the verdict asks for. */
  readonly intent: IdleAction;
  /** What to do: the intent, but nothing in a dry run. */
  readonly action: IdleAction;
  /** Whether this poll counts as busy, and so begins the cooldown anew. */
  readonly isBusy: boolean;
  /** Whether to write lastScaledUpTime: at once with a wake, else at most every quarter of the cooldown. */
  readonly stamp: boolean;
}

const defaultCooldownS = 900;

export function cooldownSOf({ cooldownPeriod }: Pick<ElastiServiceSpec, 'cooldownPeriod'>): number {
  // In Go, and so in KubeElasti, 0 is a field left out.
  return cooldownPeriod === undefined || cooldownPeriod === 0 ? defaultCooldownS : cooldownPeriod;
}

/** Whether the triggers can change the decision; where they cannot, nobody needs to be asked. */
export function needsTriggers({ spec, period }: Pick<IdleInputs, 'spec' | 'period'>): boolean {
  return hasTriggers(spec) && (period === 'always' || period === 'inside');
}

/**
 * Whether one service stays awake, is woken or may sleep.
 *
 * Sleep needs everything to agree: each trigger was asked and is idle, the period allows it, the resolvers are known to be quiet and the cooldown has passed
 * since creation, the last wake and the last busy poll. Whatever is missing, in error or not a number keeps the service as it is.
 */
export function decideIdle(inputs: IdleInputs): IdleDecision {
  const { verdict, reason } = judge(inputs);
  const isBusy = busyVerdicts.has(verdict);
  const isAsleep = inputs.replicas === 0;
  const intent = verdict === 'sleep' ? 'sleep' : wakingVerdicts.has(verdict) && isAsleep ? 'wake' : 'stay';
  const action = inputs.spec.mode === 'DryRun' ? 'stay' : intent;
  return { verdict, reason, intent, action, isBusy, stamp: isBusy && (action === 'wake' || isStampDue(inputs)) };
}

const wakingVerdicts: ReadonlySet<IdleVerdict> = new Set<IdleVerdict>(['invalid period', 'outside period', 'busy']);
const busyVerdicts: ReadonlySet<IdleVerdict> = new Set<IdleVerdict>([...wakingVerdicts, 'active at resolver']);

interface Judgement {
  readonly verdict: IdleVerdict;
  readonly reason: string;
}

function judge(inputs: IdleInputs): Judgement {
  return judgePeriod(inputs) ?? judgeTriggers(inputs) ?? judgeActivity(inputs) ?? judgeCooldown(inputs) ?? judgeReplicas(inputs);
}

function judgePeriod({ spec, period }: IdleInputs): Judgement | undefined {
  if (!hasTriggers(spec)) return { verdict: 'no triggers', reason: 'there is no trigger, so it never sleeps by itself' };
  if (typeof period === 'object') return { verdict: 'invalid period', reason: period.problem.message };
  return period === 'outside' ? { verdict: 'outside period', reason: 'outside of its enabledPeriod it is kept awake' } : undefined;
}

function judgeTriggers({ spec, triggerOutcomes }: IdleInputs): Judgement | undefined {
  const busyIndex = triggerOutcomes.indexOf('busy');
  if (busyIndex >= 0) return { verdict: 'busy', reason: `triggers[${busyIndex}] is busy` };

  const failed = triggerOutcomes.findIndex((outcome) => outcome !== 'idle');
  const outcome = triggerOutcomes[failed];
  if (typeof outcome === 'object') return { verdict: 'trigger error', reason: `triggers[${failed}]: ${outcome.error.message}` };
  return triggerOutcomes.length === spec.triggers?.length ? undefined : { verdict: 'trigger error', reason: 'not every trigger was asked' };
}

function judgeActivity({ activity }: IdleInputs): Judgement | undefined {
  switch (activity) {
    case 'quiet':
      return undefined;
    case 'active':
      return { verdict: 'active at resolver', reason: 'requests go through the resolver' };
    case 'unknown':
      return { verdict: 'activity unknown', reason: 'a resolver did not say whether requests go through it' };
  }
}

function judgeCooldown({ spec, nowMs, createdAtMs, lastScaledUpMs, lastBusyMs }: IdleInputs): Judgement | undefined {
  const sinceMs = Math.max(createdAtMs, lastScaledUpMs ?? -Infinity, lastBusyMs ?? -Infinity);
  // True for real numbers only, so a time that could not be read never counts as long ago.
  const hasPassed = nowMs - sinceMs >= cooldownSOf(spec) * 1000;
  return hasPassed ? undefined : { verdict: 'cooldown', reason: `${cooldownSOf(spec)} s must pass since it was created, woken or busy` };
}

function judgeReplicas({ replicas }: IdleInputs): Judgement {
  return replicas === 0
    ? { verdict: 'asleep', reason: 'idle, and asleep already' }
    : { verdict: 'sleep', reason: 'idle for the whole cooldown' };
}

function isStampDue({ spec, nowMs, lastScaledUpMs }: IdleInputs): boolean {
  // A stamp of the future, from a clock that was wrong, is corrected as well.
  return lastScaledUpMs === undefined || !(Math.abs(nowMs - lastScaledUpMs) < (cooldownSOf(spec) * 1000) / 4);
}

function hasTriggers({ triggers = [] }: Pick<ElastiServiceSpec, 'triggers'>): boolean {
  return triggers.length > 0;
}
