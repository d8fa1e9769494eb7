/** Anything that runs on every replica, leader or not: a webhook server, an HTTP API. */
export interface ReplicaRunnable {
  /** Unique within a manager. */
  readonly name: string;
  /** Resolves once it serves; failing stops the manager. The signal fires when the manager stops first. */
  start(signal: AbortSignal): Promise<void>;
  /** Resolves once nothing of it is left. Also called when `start` failed or was cut short. */
  stop(): Promise<void>;
}

/** One stage of the manager's life: started in order, stopped in reverse. */
export interface StartStep {
  readonly name: string;
  start(signal: AbortSignal): Promise<void>;
  /** `graceOver` fires when nobody waits any longer. */
  stop(graceOver: AbortSignal): Promise<void>;
}
