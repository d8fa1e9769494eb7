import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';

/** `refused`: the ElastiService is a dry run, so its target is left alone. */
export type WakeOutcome = 'scaled' | 'already awake' | 'refused';

/** Brings targets back; safe to call on any replica, at any time and again. */
export abstract class Waker {
  /**
   * Resolves once the API server has accepted what the wake needs: the stamp, KEDA unpaused, the scale at `minTargetReplicas` or above.
   * Calls for one ElastiService that overlap share one wake.
   * @throws TargetNotFoundError when there is no such workload, WakeTimeoutError, or the API server's own errors
   */
  abstract wake(elastiService: Frozen<ElastiService>, why: string, signal: AbortSignal): Promise<WakeOutcome>;

  /** Many wakes are under way, and have not been for long: requests are held for them, and all else can wait a moment. */
  abstract get isRushed(): boolean;

  /** Begins the cooldown anew: writes lastScaledUpTime and nothing else. */
  abstract stampBusy(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<void>;
}

/** The workload that `spec.scaleTargetRef` names is not there, or cannot be scaled. */
export class TargetNotFoundError extends Error {
  override readonly name = 'TargetNotFoundError';
}

/** The API server has neither accepted nor refused the wake in time. */
export class WakeTimeoutError extends Error {
  override readonly name = 'WakeTimeoutError';
}
