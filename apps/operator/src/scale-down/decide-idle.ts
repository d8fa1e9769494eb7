import { cooldownSOf, type ElastiServiceSpec } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import type { Activity } from '../resolvers';
import type { PeriodState } from './schedule';
import { InvalidTriggerError, type TriggerError, type TriggerOutcome } from './triggers';

/** All that the decision about one ElastiService in one poll rests on. */
export interface IdleInputs {
  readonly spec: Pick<Frozen<ElastiServiceSpec>, 'triggers' | 'cooldownPeriod' | 'mode'>;
  readonly nowMs: number;
  readonly createdAtMs: number;
  /** From the status: the last wake, or a poll that found it busy. */
  readonly lastScaledUpMs?: number;
  /** The last busy poll that this process remembers; fills the gap to the stamp, which is not written every time. */
  readonly lastBusyMs?: number;
  readonly period: PeriodState;
  /** One for each trigger of the spec, in its order. May be empty where `needsTriggers` says so. */
  readonly triggerOutcomes: readonly TriggerOutcome[];
  readonly activity: Activity;
  /** Replicas the target is asked to have; 0 is asleep, and undefined that there is no such target or nobody can tell. */
  readonly replicas: number | undefined;
}

/** What was found, by the first of these that is true. */
export type IdleVerdict =
  | 'no target'
  | 'no triggers'
  | 'invalid period'
  | 'outside period'
  | 'busy'
  | 'trigger error'
  | 'active at resolver'
  | 'activity unknown'
  | 'cooldown'
  | 'asleep'
  | 'sleep'
  | 'undecided';

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

/** Whether the triggers can change the decision; where they cannot, nobody needs to be asked. */
export function needsTriggers({ spec, period, replicas }: Pick<IdleInputs, 'spec' | 'period' | 'replicas'>): boolean {
  return replicas !== undefined && hasTriggers(spec) && (period === 'always' || period === 'inside');
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
  if (inputs.replicas === undefined) return { verdict: 'no target', reason: 'its target is not there, or cannot be scaled' };
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
  if (typeof outcome === 'object') return { verdict: 'trigger error', reason: formatProblem(outcome.error, failed) };
  return triggerOutcomes.length === spec.triggers?.length ? undefined : { verdict: 'trigger error', reason: 'not every trigger was asked' };
}

/** For a service about which something could not even be found out. */
export const undecided: IdleDecision = {
  verdict: 'undecided',
  reason: 'it could not be found out whether it is idle',
  intent: 'stay',
  action: 'stay',
  isBusy: false,
  stamp: false,
};

/** Whether nothing but others on the same target can keep it from sleeping, or from sleeping on. */
export function isIdle({ verdict }: IdleDecision): boolean {
  return verdict === 'sleep' || verdict === 'asleep';
}

/** For people: which of the triggers could not tell, and why. */
export function formatProblem(error: TriggerError, index: number): string {
  // A bad setting names its place itself.
  return error instanceof InvalidTriggerError ? error.message : `triggers[${index}]: ${error.message}`;
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

function hasTriggers({ triggers = [] }: Pick<Frozen<ElastiServiceSpec>, 'triggers'>): boolean {
  return triggers.length > 0;
}
