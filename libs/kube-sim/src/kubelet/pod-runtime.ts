import { type PodNetwork } from '../network';
import { type PodLog } from '../pod-log';
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
  exited(exitCode: number, message?: string): void;
}

/** One address, or one of each family, the preferred one first. */
export type PodAddresses = readonly [string] | readonly [string, string];

/**
 * The environment of a pod's first container: the given variables, then links to the Services of its namespace, then what
 * the container says. Rejected with what is lacking for it.
 */
export type PodEnvironment = (sandbox: {
  readonly addresses: PodAddresses;
  readonly variables: Readonly<Record<string, string>>;
}) => Promise<Record<string, string>>;

/**
 * What makes pods of pod objects: addresses in memory for tests, or processes.
 *
 * The kubelet calls start() for a pod that is bound to one of its nodes, and again after each exit that is to be
 * followed by a restart; never twice at a time for one uid.
 */
export interface PodRuntime {
  /** Set when pods are on this machine's loopback; then Services are too, and EndpointSlices may say so. */
  readonly network?: PodNetwork;
  /** Fulfilled with the pod's addresses once it runs; a restarted pod keeps its own. A rejection is shown in the pod's status and tried again later. */
  start(pod: PodToRun, reports: PodReports, environment: PodEnvironment): Promise<PodAddresses>;
  /**
   * Asks the pod to end, forces it after the grace, and is fulfilled when nothing of it is left; it must not reject.
   * Called again with a shorter grace when somebody loses patience, and also for pods that are no longer running.
   */
  stop(pod: PodToRun, graceMs: number): Promise<void>;
  /** Where the container ports of a pod that runs really are; undefined when they are what they are called. */
  portsOf?(uid: string): ReadonlyMap<number, number> | undefined;
  /** What a pod has written; undefined when nothing is known of it. */
  logOf?(uid: string): PodLog | undefined;
  /** Ends every pod, all at the same time and forced after the grace. Nothing is left when it is fulfilled. */
  close(graceMs: number): Promise<void>;
}
