import type { Outcome } from './operator.metrics';

/** What is reported of the watches' events. How many watches there are and how often they begin anew is read from the kit. */
export abstract class InformerMetrics {
  /** elasti_operator_informer_handler_counter; `resource` is `deployments.apps` */
  abstract handled(resource: string, outcome: Outcome): void;
}
