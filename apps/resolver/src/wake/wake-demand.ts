import type { ServiceRef } from '../directory';

/** A Service that somebody waits for. The same object for as long as they do. */
export interface WakeDemand extends ServiceRef {
  /** How many wait, now. */
  readonly held: number;
  /** The operator has accepted a call for it. */
  wakeAccepted?(): void;
}

/** Who sees to it that a Service with something held and no pod wakes up. */
export interface Waker {
  want(demand: WakeDemand): void;
  /** Nothing is held for it any more, or a pod is ready. */
  satisfied(demand: WakeDemand): void;
}
