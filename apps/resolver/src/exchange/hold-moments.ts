import type { WaitedFor } from './gate';

/** What an exchange went through that was held; moments by the monotonic clock. */
export interface HoldMoments extends Partial<WaitedFor> {
  readonly heldAtMs: number;
  /** The gate gave it a pod. */
  readonly leasedAtMs: number;
  /** The first byte went to the pod. */
  readonly sentAtMs: number;
}

/** From the moment the pod could have been used to the first byte sent to it; `undefined` when the gate does not say. */
export function readyToSentMs({ heldAtMs, readyAtMs, sentAtMs }: HoldMoments): number | undefined {
  return readyAtMs === undefined ? undefined : sentAtMs - Math.max(heldAtMs, readyAtMs);
}
