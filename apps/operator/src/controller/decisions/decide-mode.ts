import type { TrafficMode } from '@elasti/api';

/** All that the traffic decision about one ElastiService rests on. */
export interface ModeInputs {
  /** Replicas the target is asked to have. */
  readonly replicas: number;
  /** How long every one of its Services has had a ready pod; undefined while one has none. */
  readonly readyForMs: number | undefined;
  /** How long the proxy slices of all its Services have named a ready resolver; undefined while one does not. */
  readonly publishedForMs: number | undefined;
  /** Whether any proxy slice is there at all. */
  readonly isProxySliceLeft: boolean;
  /** The idle loop asks for it and nothing speaks against it. */
  readonly wantsSleep: boolean;
  /** How long the resolvers must have taken part in the traffic before the last pod goes. */
  readonly settleMs: number;
  /** How long pods must have been ready before the resolvers leave. */
  readonly graceMs: number;
}

/**
 * - `serve`: the pods take the traffic, the resolvers stand by.
 * - `prepare`: the resolvers join the pods, so that the data plane knows them before the last pod goes.
 * - `scale down`: they have been there long enough; the target may go.
 * - `proxy`: the resolvers take the traffic, for a target that sleeps or wakes.
 */
export type ModeStep =
  | { readonly step: 'serve' }
  | { readonly step: 'prepare'; readonly waitMs?: number }
  | { readonly step: 'scale down' }
  | { readonly step: 'proxy'; readonly waitMs?: number };

/**
 * Who takes the traffic, and what comes next.
 *
 * A pure function, so that no state is ever remembered wrongly. The resolvers are in the Service before the target may go, and leave it only after its pods have
 * been ready for the grace: whatever happens between two looks, pods or resolvers are there.
 */
export function decideMode(inputs: ModeInputs): ModeStep {
  const { replicas, readyForMs, publishedForMs, isProxySliceLeft, wantsSleep, settleMs, graceMs } = inputs;
  if (replicas === 0) return { step: 'proxy' };

  if (wantsSleep) {
    if (publishedForMs === undefined) return { step: 'prepare' };
    return publishedForMs >= settleMs ? { step: 'scale down' } : { step: 'prepare', waitMs: settleMs - publishedForMs };
  }

  // Pods that fail while they serve stay the Service's own affair; the resolvers stand by for them.
  if (!isProxySliceLeft) return { step: 'serve' };
  if (readyForMs === undefined) return { step: 'proxy' };
  return readyForMs >= graceMs ? { step: 'serve' } : { step: 'proxy', waitMs: graceMs - readyForMs };
}

export function modeOf({ step }: ModeStep): TrafficMode {
  return step === 'proxy' ? 'proxy' : 'serve';
}
