import type { TrafficMode } from '@elasti/api';

/** What the rooms report; `MetricsModule` makes it of @willsoto/nestjs-prometheus. Labels come from closed sets and from names of objects that exist. */
export abstract class OperatorMetrics {
  /** elasti_operator_reconcile */
  abstract reconciled(outcome: 'success' | 'error', seconds: number): void;
  /** elasti_operator_mode */
  abstract mode(namespace: string, service: string, mode: TrafficMode): void;
  /** Takes the series of a service that is gone away. */
  abstract forget(namespace: string, service: string): void;
  /** elasti_operator_CRD_update_counter */
  abstract statusWritten(namespace: string, name: string): void;
  /** elasti_operator_CRD_finalizer_counter */
  abstract finalized(namespace: string, name: string, outcome: 'success' | 'error'): void;
  /** elasti_operator_scale_counter; `action` is what the target was asked for */
  abstract scaled(namespace: string, service: string, action: 'scale-up' | 'scale-down', outcome: 'success' | 'error'): void;
}
