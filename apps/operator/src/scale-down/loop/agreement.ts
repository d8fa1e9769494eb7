import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import type { DryRunObservation } from '../dry-run';
import { type IdleDecision, isIdle } from '../decide-idle';

/** Another ElastiService on the same target that keeps it awake. */
export interface Objection {
  readonly reason: string;
  readonly decision: IdleDecision;
}

/** `undefined` when this other one would let the target sleep. */
export function objectionOf({ metadata }: Frozen<ElastiService>, decision: IdleDecision): Objection | undefined {
  if (isIdle(decision)) return undefined;
  return { reason: `${metadata.name ?? ''}, which has the same target, keeps it awake: ${decision.reason}`, decision };
}

/** What a round says about a dry run, when all on its target have been heard. */
export function observationOf(decision: IdleDecision, objection: Objection | undefined): DryRunObservation {
  const { verdict } = objection?.decision ?? decision;
  switch (verdict) {
    case 'sleep':
    case 'asleep':
      return 'idle';
    case 'invalid period':
    case 'outside period':
    case 'busy':
    case 'active at resolver':
    case 'cooldown':
      return 'awake';
    case 'trigger error':
    case 'activity unknown':
    case 'no target':
    case 'undecided':
      return 'unknown';
    case 'no triggers':
      return 'off';
  }
}
