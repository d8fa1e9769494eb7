import type { TrafficMode } from '@elasti/api';

export type Outcome = 'success' | 'error';

/** What a dry run would have come to by now. */
export interface DryRunFigures {
  readonly sleptSeconds: number;
  readonly wakes: number;
}

/**
 * What the rooms report; `MetricsModule` makes it of @willsoto/nestjs-prometheus.
 *
 * Labels come from closed sets and from names of objects that exist; `forget` must be called for each that is gone, or its series stay.
 * Only the leader reports modes and dry runs: dashboards add up what all replicas say.
 */
export abstract class OperatorMetrics {
  /** elasti_operator_reconcile */
  abstract reconciled(outcome: Outcome, seconds: number): void;
  /** elasti_operator_mode; `name` is the ElastiService's. */
  abstract mode(namespace: string, name: string, mode: TrafficMode): void;
  /** elasti_operator_triggers_healthy; only the leader asks triggers. */
  abstract triggers(namespace: string, name: string, state: 'healthy' | 'failing'): void;
  /**
   * elasti_operator_dry_run_slept_seconds and elasti_operator_dry_run_wakes; `name` is the ElastiService's, `service` its Service's. Without figures it is in no
   * dry run, and its series go.
   */
  abstract dryRun(namespace: string, name: string, service: string, figures?: DryRunFigures): void;
  /** elasti_operator_ready_resolvers */
  abstract resolversReady(count: number): void;
  /** Takes the series of an ElastiService that is gone away; `service` is its Service, by default of the same name. */
  abstract forget(namespace: string, name: string, service?: string): void;
  /** elasti_operator_CRD_update_counter */
  abstract statusWritten(namespace: string, name: string, mode?: TrafficMode): void;
  /** elasti_operator_CRD_finalizer_counter */
  abstract finalized(namespace: string, name: string, outcome: Outcome): void;
  /** elasti_operator_scale_counter; `action` is what the target was asked for, `target` the workload as `Deployment-web` */
  abstract scaled(namespace: string, service: string, action: 'scale-up' | 'scale-down', outcome: Outcome, target?: string): void;
}
