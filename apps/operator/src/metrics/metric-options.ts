/**
 * Names and label names that KubeElasti's dashboard queries.
 *
 * Its `crd_name` is `<namespace>/<name>` of the ElastiService, `error` is "success" when there was none.
 */
export const metricOptions = {
  reconcile: {
    name: 'elasti_operator_reconcile',
    help: 'Seconds that reconciles took',
    labelNames: ['crd_name', 'error'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10],
  },
  finalizer: {
    name: 'elasti_operator_CRD_finalizer_counter',
    help: 'Cleanups of ElastiServices that were deleted, the latest ones only',
    labelNames: ['crd_name', 'error'],
  },
  update: {
    name: 'elasti_operator_CRD_update_counter',
    help: 'Writes of the status of an ElastiService',
    labelNames: ['crd_name', 'mode', 'error'],
  },
  mode: { name: 'elasti_operator_mode', help: '1 while the resolvers take the traffic, 0 while the pods do', labelNames: ['crd_name'] },
  triggers: {
    name: 'elasti_operator_triggers_healthy',
    help: '1 while every trigger answers, 0 while one fails, which keeps the target awake; none before they were asked',
    labelNames: ['crd_name'],
  },
  dryRunSlept: {
    name: 'elasti_operator_dry_run_slept_seconds',
    help: 'Seconds that a service in a dry run would have slept since the run began; none without a dry run',
    labelNames: ['namespace', 'service'],
  },
  dryRunWakes: {
    name: 'elasti_operator_dry_run_wakes',
    help: 'How often a service in a dry run would have been woken since the run began; none without a dry run',
    labelNames: ['namespace', 'service'],
  },
  readyResolvers: { name: 'elasti_operator_ready_resolvers', help: 'Resolver pods that are ready, as this replica sees them' },
  scale: {
    name: 'elasti_operator_scale_counter',
    help: 'Scale writes to targets',
    labelNames: ['namespace', 'service_name', 'target', 'action', 'error'],
  },
  informers: { name: 'elasti_operator_informer_count', help: 'Watches there are', labelNames: ['informer_name'] },
  informerStarts: {
    name: 'elasti_operator_informer_counter',
    help: 'Watches begun, the first time and again',
    labelNames: ['crd_name', 'action', 'error'],
  },
  informerEvents: {
    name: 'elasti_operator_informer_handler_counter',
    help: 'Events of watches that were handled',
    labelNames: ['key', 'error'],
  },
};
