import type { ElastiService } from '@elasti/api';
import { findCondition, type Frozen } from '@elasti/operator-kit';
import { type Hand, patience } from '../ops/hand.ops';
import { asleep, type Remark, scaledDownBy, type SleepState } from './build-conditions';

const keptAwake = 'KeptAwakeByAnother';
const coolingDown = 'CoolingDown';

/** What is known of why a service must stay awake that the idle loop would let sleep. */
export interface AwakeInputs {
  readonly elastiService: Frozen<ElastiService>;
  readonly hand: Hand;
  /** Why the resolvers could not take all of its traffic. */
  readonly unserved?: Remark;
  /** The idle loop wants it to sleep; else there is nothing to speak against. */
  readonly isAskedToSleep: boolean;
  readonly isRolloutMoving: boolean;
  readonly isCoolingDown: boolean;
  /** The others that scale the target. */
  readonly sharers: readonly Frozen<ElastiService>[];
}

/** What speaks against a sleep; undefined when nothing does. */
export function decideAwake(inputs: AwakeInputs): Remark | undefined {
  const { elastiService, hand, unserved, isAskedToSleep, isRolloutMoving, isCoolingDown, sharers } = inputs;
  if (hand.kind === 'other' && hand.did === 'scaled up' && hand.times >= patience) return keptAwakeBy(hand.manager);
  const before = findCondition(elastiService.status?.conditions, 'ScaledDown');
  const isStillKept = before?.reason === keptAwake && before.observedGeneration === elastiService.metadata.generation;
  if (before && isStillKept) return { reason: keptAwake, message: before.message };

  if (unserved) return unserved;
  if (!isAskedToSleep) return undefined;
  if (isRolloutMoving) return { reason: 'RolloutInProgress', message: 'an update of the Rollout is under way' };
  const unable = sharers.find((sharer) => !canSleep(sharer));
  if (unable) {
    const message = `ElastiService ${unable.metadata.name ?? ''}, which scales the same target, cannot sleep: see its conditions`;
    return { reason: 'SharerCannotSleep', message };
  }
  return isCoolingDown ? { reason: coolingDown, message: 'it was asked for a short while ago' } : undefined;
}

/** Said for as long as it holds, also while the pods start: it is what the next look goes by. A cooldown is nothing special. */
export function leftAwake(reason: Remark | undefined): SleepState | undefined {
  return reason && reason.reason !== coolingDown ? { status: 'False', ...reason } : undefined;
}

/** Who put it to sleep is found out once, when it is seen for the first time; from then on the status knows. */
export function howItFellAsleep({ status }: Frozen<ElastiService>, hand: Hand): SleepState {
  if (hand.kind === 'other') return scaledDownBy(hand.manager);
  const before = findCondition(status?.conditions, 'ScaledDown');
  return before?.status === 'True' ? { status: 'True', reason: before.reason, message: before.message } : asleep;
}

function keptAwakeBy(manager: string): Remark {
  const message = `${manager} scaled it up ${patience} times in a row after it fell asleep, so it is left awake: let ${manager} leave spec.replicas alone, then change this object`;
  return { reason: keptAwake, message };
}

/** As its own reconcile has found; one that was not reconciled yet may turn out to be refused. */
function canSleep({ status }: Frozen<ElastiService>): boolean {
  const isReady = findCondition(status?.conditions, 'Ready')?.status === 'True';
  return isReady && findCondition(status?.conditions, 'ScaledDown')?.reason !== keptAwake;
}
