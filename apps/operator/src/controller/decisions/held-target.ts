import type { ElastiService, HeldTarget } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import { formatTarget } from '../../informer';
import type { SleepState } from './build-conditions';
import type { ModeStep } from './decide-mode';

/** What the spec has put to sleep, with what else scales it. */
export function targetOf({ spec }: Pick<Frozen<ElastiService>, 'spec'>): HeldTarget {
  const { apiVersion, kind, name } = spec.scaleTargetRef;
  return { apiVersion, kind, name, ...(spec.autoscaler && { autoscaler: { ...spec.autoscaler } }) };
}

/** Two spellings of one workload, whatever else scales it. */
export function sameWorkload(a: Frozen<HeldTarget>, b: Frozen<HeldTarget>): boolean {
  return formatTarget('', a) === formatTarget('', b);
}

/** What is held, as long as it is what the spec names; anything else was given back before. */
export function stillHeld(elastiService: Frozen<ElastiService>): Frozen<HeldTarget> | undefined {
  const held = elastiService.status?.heldTarget;
  return held && sameHold(held, targetOf(elastiService)) ? held : undefined;
}

/** What came of a look at the traffic, as far as it tells whether we hold the target. */
export interface HoldFacts {
  readonly step: ModeStep['step'];
  readonly scaledDown: SleepState;
  /** KEDA is still kept from undoing a wake. */
  readonly isKedaHeld: boolean;
}

/**
 * What is held after a reconcile: from the first step towards a sleep until the pods take the traffic again and KEDA does as it likes.
 *
 * It is written down before the target is touched, since afterwards the spec may name another; and no earlier than that, so that what others scale to zero stays theirs.
 */
export function decideHeldTarget(elastiService: Frozen<ElastiService>, facts: HoldFacts): Frozen<HeldTarget> | undefined {
  const { step, scaledDown, isKedaHeld } = facts;
  const isOurSleep = step === 'prepare' || scaledDown.reason === 'Asleep';
  if (isOurSleep) return targetOf(elastiService);
  return step === 'serve' && !isKedaHeld ? undefined : stillHeld(elastiService);
}

function sameHold(a: Frozen<HeldTarget>, b: Frozen<HeldTarget>): boolean {
  return sameWorkload(a, b) && a.autoscaler?.type === b.autoscaler?.type && a.autoscaler?.name === b.autoscaler?.name;
}
