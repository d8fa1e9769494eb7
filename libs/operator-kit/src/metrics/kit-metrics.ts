import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { MetricMaker } from './metric-maker';

/**
 * Every metric of the kit, in one registry, which must not hold another KitMetrics: make one for a process and pass it on.
 *
 * Labels come from closed sets: names given in code (controllers, queues, leases), kinds, verbs, status codes. Never an object's name, a URL or a message.
 */
export class KitMetrics extends MetricMaker {
  readonly reconciles = this.counter('reconcile_total', 'Reconciles by outcome', ['controller', 'result']);
  readonly reconcileErrors = this.counter('reconcile_errors_total', 'Reconciles that failed', ['controller']);
  readonly terminalErrors = this.counter('reconcile_terminal_errors_total', 'Reconciles that failed until the object changes', [
    'controller',
  ]);
  readonly reconcilePanics = this.counter('reconcile_panics_total', 'Reconciles that threw something unexpected', ['controller']);
  readonly reconcileTimeouts = this.counter('reconcile_timeouts_total', 'Reconciles that ran into their timeout', ['controller']);
  readonly reconcileSeconds = this.histogram('reconcile_duration_seconds', 'Duration of a reconcile', ['controller']);
  readonly activeWorkers = this.gauge('reconcile_active_workers', 'Reconciles running now', ['controller']);

  readonly queueDepth = this.gauge('workqueue_depth', 'Keys ready to be taken', ['name']);
  readonly queueAdds = this.counter('workqueue_adds_total', 'Keys added', ['name']);
  readonly queueRetries = this.counter('workqueue_retries_total', 'Keys added again with backoff', ['name']);
  readonly queueSeconds = this.histogram('workqueue_queue_duration_seconds', 'Time a key waited to be taken', ['name']);
  readonly workSeconds = this.histogram('workqueue_work_duration_seconds', 'Time a key was being processed', ['name']);
  readonly unfinishedSeconds = this.sampledGauge('workqueue_unfinished_work_seconds', 'Time all keys in work have taken so far', ['name']);
  readonly longestRunningSeconds = this.sampledGauge(
    'workqueue_longest_running_processor_seconds',
    'Time the oldest key in work has taken',
    ['name'],
  );

  readonly watchRestarts = this.counter('watch_restarts_total', 'Watches begun again, by why the last one ended', ['resource', 'reason']);
  readonly listSeconds = this.histogram('list_duration_seconds', 'Time of a full list', ['resource']);
  readonly cacheObjects = this.gauge('cache_objects', 'Objects in the cache', ['resource']);

  readonly leader = this.gauge('leader_election_master_status', '1 while this process leads', ['name']);
  readonly eventsSent = this.counter('events_sent_total', 'Events written, repetitions included', []);
  readonly eventsDropped = this.counter('events_dropped_total', 'Events that were never written, by why', ['reason']);

  readonly clientRequests = this.counter('rest_client_requests_total', 'Requests to the API server', ['verb', 'code']);

  constructor(registry: Registry = new Registry()) {
    super(registry);
  }

  /** Has another registry show them, too. @throws when it shows another KitMetrics already */
  showIn(registry: Registry): void {
    for (const own of Object.values(this) as unknown[]) {
      if (own instanceof Counter || own instanceof Gauge || own instanceof Histogram) registry.registerMetric(own);
    }
  }

  /** Adds the process's own: CPU, memory, event loop, garbage collection. Managers that share a registry may each ask for it. */
  collectNodeMetrics(): void {
    if (this.registry.getSingleMetric('process_cpu_user_seconds_total')) return;
    collectDefaultMetrics({ register: this.registry });
  }
}
