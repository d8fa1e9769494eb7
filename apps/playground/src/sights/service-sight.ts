import type { TrafficMode } from '@elasti/api';

/** One part of a wake and how long it took. */
export interface WakePhase {
  readonly name: 'asked' | 'started' | 'ready';
  readonly durationMs: number;
}

/** A wake that is over. */
export interface WakeSight {
  /** By the wall clock. */
  readonly atMs: number;
  readonly phases: readonly WakePhase[];
}

export type ServiceState = 'unknown' | 'asleep' | 'waking' | 'awake';

/** What is to be seen of one service. */
export interface ServiceSight {
  readonly name: string;
  readonly url: string;
  readonly state: ServiceState;
  /** `proxy`: its traffic goes to the resolver, beside its pods or alone. */
  readonly mode?: TrafficMode;
  readonly replicas: { readonly ready: number; readonly wanted: number };
  /** Requests that the resolver holds. */
  readonly held: number;
  readonly lastWake?: WakeSight;
}

/** Nothing is known of a service before the operator has looked at it. */
export function decideState({ mode, replicas }: Pick<ServiceSight, 'mode' | 'replicas'>): ServiceState {
  if (mode === undefined) return 'unknown';
  if (replicas.ready > 0) return 'awake';
  return replicas.wanted > 0 ? 'waking' : 'asleep';
}
