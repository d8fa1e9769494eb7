import type { GateError } from './gate.errors';
import type { ServicePort } from './service-port';

/**
 * How an exchange ended, as far as the pod is concerned. `refused`: no connection could be made, so nobody else should try just now.
 * `broken`: the pod took the connection and failed this exchange, which says nothing about others once it has answered any. `unused`: nobody went there.
 */
export type LeaseOutcome = 'done' | 'refused' | 'broken' | 'unused';

/** What one that was held waited for; moments by the monotonic clock. */
export interface WaitedFor {
  /** When the pod that it goes to became ready. */
  readonly readyAtMs: number;
  /** When the operator accepted the wake, if it did. */
  readonly wakeAcceptedAtMs?: number;
}

/** A place at a ready pod. `release` is called exactly once, when the exchange is over. */
export interface PodLease {
  readonly address: string;
  readonly port: number;
  /** Names the pod among all pods; pools of connections are kept by it. */
  readonly podKey: string;
  /** Only where somebody was held for it. */
  readonly waitedFor?: WaitedFor;
  /**
   * Since when the pod has been ready, when that is a moment ago and it has answered nobody yet. Something in front of its program, a
   * sidecar say, may take connections before the program does, and close them.
   */
  readonly startingSinceMs?: number | undefined;
  /**
   * How long a request may be held altogether, also one that goes by this place and waits for room at the pod. As long as it likes when
   * it does not say.
   */
  readonly requestTimeoutMs?: number;
  /** The pod has said something. */
  answered?(): void;
  release(outcome: LeaseOutcome): void;
  /** For a place that serves many exchanges: one has begun or is over, and so many are open now. It counts as activity. */
  touch?(open: number): void;
}

/** What is held. */
export interface Held {
  /** What the resolver may have to keep in memory for this exchange. */
  readonly bytesHeld: number;
  /** Pods that already refused or lost this exchange. */
  readonly not?: ReadonlySet<string>;
  /** What this exchange has already waited, when a pod refused it after an earlier hold: the deadline is the exchange's own. */
  readonly waitedMs?: number;
  /** It was held before and let go to a pod, which did not take it. */
  readonly wasLetGo?: boolean;
}

/** Who waits for a place. One of the two is called, once, maybe before `hold` returns. */
export interface Holder {
  /** How many exchanges go to the pod with this one, itself included; 1 when it does not say. */
  readonly exchanges?: number | undefined;
  entered(lease: PodLease): void;
  /** The exchange must be answered without a pod. */
  refused(error: GateError): void;
}

/** The slot of one that waits. */
export interface Ticket {
  /** Frees the slot at once; the holder hears nothing more. Does nothing when the wait is over. */
  leave(): void;
}

/** Who decides when and where an exchange may go. */
export interface Gate {
  /** A lease at once when a pod is ready and has room: the hot path, no allocation beyond the lease. */
  tryEnter(target: ServicePort): PodLease | undefined;

  /**
   * Holds until a pod is ready; a ticket when it waits.
   *
   * Neither a promise nor a signal: thousands are held at once, and those two cost more than all the rest of a hold.
   */
  hold(target: ServicePort, held: Held, holder: Holder): Ticket | undefined;
}
