import { type JsonObject } from '../store';

/** A pod as its node knows it. One uid stands for one pod from its start to its end, through all its restarts. */
export interface PodToRun {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly nodeName: string;
  /** The pod's spec as the API has it: containers, commands, ports, probes. */
  readonly spec: JsonObject;
}

export type PodReadiness = 'ready' | 'not-ready';

/** How a runtime tells what becomes of a pod, from the call of start() on. After stop() was called, exits need no telling. */
export interface PodReports {
  /** Pods are not ready until the runtime says so. */
  readiness(readiness: PodReadiness): void;
  /** The pod ended by itself. If its restart policy says so, start() is called again after a while. */
  exited(exitCode: number): void;
}

/** One address, or one of each family, the preferred one first. */
export type PodAddresses = readonly [string] | readonly [string, string];

/**
 * What makes pods of pod objects: addresses in memory for tests, or processes.
 *
 * The kubelet calls start() for a pod that is bound to one of its nodes, and again after each exit that is to be
 * followed by a restart; never twice at a time for one uid.
 */
export interface PodRuntime {
  /** Fulfilled with the pod's addresses once it runs; a restarted pod keeps its own. A rejection is shown in the pod's status and tried again later. */
  start(pod: PodToRun, reports: PodReports): Promise<PodAddresses>;
  /**
   * Asks the pod to end, forces it after the grace, and is fulfilled when nothing of it is left; it must not reject.
   * Called again with a shorter grace when somebody loses patience, and also for pods that are no longer running.
   */
  stop(pod: PodToRun, graceMs: number): Promise<void>;
  /** Ends every pod at once. Nothing is left when it is fulfilled. */
  close(): Promise<void>;
}
