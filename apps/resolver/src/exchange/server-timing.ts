import type { HoldMoments } from './hold-moments';

/** A request with the value `1` here gets the phases of its cold start in `Server-Timing`. In lower case. */
export const TIMING_FIELD = 'x-elasti-timing';

/**
 * The value of `Server-Timing`: how long the request was held, when after its arrival the wake was accepted and the pod ready, and how
 * long the connection took. What is not known is left out.
 */
export function serverTiming(moments: HoldMoments | undefined): string {
  if (moments === undefined) return 'held;dur=0';
  const { heldAtMs, wakeAcceptedAtMs, readyAtMs, leasedAtMs, sentAtMs } = moments;
  return [
    phase('held', leasedAtMs - heldAtMs),
    wakeAcceptedAtMs === undefined ? [] : phase('wake', wakeAcceptedAtMs - heldAtMs),
    readyAtMs === undefined ? [] : phase('ready', readyAtMs - heldAtMs),
    phase('connect', sentAtMs - leasedAtMs),
  ]
    .flat()
    .join(', ');
}

/** What was over before the request came took none of its time. */
function phase(name: string, durationMs: number): string {
  return `${name};dur=${Math.max(0, durationMs).toFixed(1)}`;
}
