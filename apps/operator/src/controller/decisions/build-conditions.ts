import type { ElastiService } from '@elasti/api';
import { type ConditionUpdate, findCondition, type Frozen } from '@elasti/operator-kit';
import { targetKindOf } from '../../informer';
import type { IdleReport } from '../idle-reports';
import type { Finding } from './service-fitness';

/** A sentence for a person and a word for a machine. */
export type Remark = Finding<string>;

/** Several of them as one, under the first one's word. */
export function joinRemarks(remarks: readonly Remark[]): Remark | undefined {
  const [first] = remarks;
  return first && { reason: first.reason, message: remarks.map(({ message }) => message).join('; ') };
}

/** What the reconcile came to know; each becomes a condition. */
export interface Facts {
  /** Why it cannot be put to sleep at all. */
  readonly obstacle?: Remark;
  readonly missingServices: readonly string[];
  readonly warnings: readonly Remark[];
  readonly targetProblem?: string;
  readonly resolver: 'available' | 'unknown' | Remark;
  readonly scaledDown: SleepState;
  readonly triggers: IdleReport['triggers'];
}

/** Whether it sleeps, and why. */
export type SleepState = Remark & { readonly status: 'True' | 'False' };

export const asleep: SleepState = { status: 'True', reason: 'Asleep', message: 'scaled to zero; the first request wakes it' };
export const awake: SleepState = { status: 'False', reason: 'Awake', message: 'its pods take the traffic' };
export const heldByKeda: SleepState = {
  status: 'False',
  reason: 'HeldByPause',
  message: 'its pods take the traffic; KEDA, whose minReplicaCount of 0 would undo the wake, is paused until the cooldown is over',
};
export const waking: SleepState = {
  status: 'False',
  reason: 'Waking',
  message: 'it was asked for, and its pods are starting; requests are held',
};
export const fallingAsleep: SleepState = {
  status: 'False',
  reason: 'FallingAsleep',
  message: 'idle; the resolvers join its Service before the last pod goes',
};

export function scaledDownBy(manager: string): SleepState {
  return { status: 'True', reason: 'ScaledDownByAnother', message: `scaled to zero by ${manager}; the first request wakes it` };
}

/** Pure: the same facts give the same words, so a status is written only when something changed. */
export function buildConditions({ metadata, spec, status }: Frozen<ElastiService>, facts: Facts): ConditionUpdate[] {
  const conditions = [readyCondition(facts), serviceCondition(spec.service, facts), targetCondition(spec.scaleTargetRef, facts)];
  const words = [...conditions, resolverCondition(facts), { type: 'ScaledDown', ...facts.scaledDown }, triggersCondition(status, facts)];
  return words.map((condition) => ({ ...condition, observedGeneration: metadata.generation }));
}

type Words = Omit<ConditionUpdate, 'observedGeneration'>;

function readyCondition({ obstacle, missingServices, targetProblem }: Facts): Words {
  const type = 'Ready';
  if (obstacle) return { type, status: 'False', ...obstacle };
  if (missingServices.length > 0)
    return { type, status: 'False', reason: 'ServiceNotFound', message: `there is no ${list(missingServices)}` };
  if (targetProblem !== undefined) return { type, status: 'False', reason: 'TargetNotFound', message: targetProblem };
  return { type, status: 'True', reason: 'Ready', message: 'it sleeps when idle and wakes on the first request' };
}

function serviceCondition(service: string, { missingServices, warnings }: Facts): Words {
  const type = 'ServiceFound';
  if (missingServices.length > 0)
    return { type, status: 'False', reason: 'ServiceNotFound', message: `there is no ${list(missingServices)}` };
  const warning = joinRemarks(warnings);
  if (warning) return { type, status: 'True', ...warning };
  return { type, status: 'True', reason: 'ServiceFound', message: `Service ${service} is there` };
}

function targetCondition(ref: Frozen<ElastiService>['spec']['scaleTargetRef'], { targetProblem }: Facts): Words {
  const type = 'TargetFound';
  return targetProblem === undefined
    ? { type, status: 'True', reason: 'TargetFound', message: `${targetKindOf(ref)} ${ref.name} is there` }
    : { type, status: 'False', reason: 'TargetNotFound', message: targetProblem };
}

function resolverCondition({ resolver }: Facts): Words {
  const type = 'ResolverAvailable';
  if (resolver === 'unknown') return { type, status: 'Unknown', reason: 'NotAsked', message: 'none is needed as long as it cannot sleep' };
  return resolver === 'available'
    ? { type, status: 'True', reason: 'ResolverAvailable', message: 'a resolver is ready to take its requests' }
    : { type, status: 'False', ...resolver };
}

/** Also what tells whether a report has anything new to say. */
export function triggersWords(triggers: IdleReport['triggers']): Words {
  const type = 'TriggersHealthy';
  if (triggers === 'unknown') return { type, status: 'Unknown', reason: 'NotAsked', message: 'no trigger was asked yet' };
  if (triggers === 'healthy') return { type, status: 'True', reason: 'TriggersHealthy', message: 'every trigger has answered' };
  return { type, status: 'False', reason: 'TriggerFailed', message: triggers.problem };
}

/** A new leader has asked nobody yet; what the last one heard is still the best that is known. */
function triggersCondition(status: Frozen<ElastiService>['status'], { triggers }: Facts): Words {
  const before = findCondition(status?.conditions, 'TriggersHealthy');
  if (triggers !== 'unknown' || !before) return triggersWords(triggers);
  return { type: before.type, status: before.status, reason: before.reason, message: before.message };
}

function list(services: readonly string[]): string {
  return services.map((name) => `Service ${name}`).join(', ');
}
