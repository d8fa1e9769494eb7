import { Registry } from 'prom-client';
import { KitMetrics } from './kit-metrics';

const namesIn = (registry: Registry) => registry.getMetricsAsArray().map(({ name }) => name);

describe('KitMetrics', () => {
  it('has the metrics operators are watched by', () => {
    const { registry } = new KitMetrics(new Registry());

    expect(namesIn(registry)).toEqual(
      expect.arrayContaining([
        'reconcile_total',
        'reconcile_errors_total',
        'reconcile_duration_seconds',
        'workqueue_depth',
        'workqueue_queue_duration_seconds',
        'workqueue_work_duration_seconds',
        'workqueue_retries_total',
        'workqueue_unfinished_work_seconds',
        'workqueue_longest_running_processor_seconds',
        'watch_restarts_total',
        'list_duration_seconds',
        'cache_objects',
        'leader_election_master_status',
        'rest_client_requests_total',
        'events_dropped_total',
      ]),
    );
  });

  it('are shown by another registry as well, without what else is in their own', () => {
    const metrics = new KitMetrics(new Registry());
    metrics.collectNodeMetrics();
    const other = new Registry();

    metrics.showIn(other);

    expect(namesIn(other)).toEqual(namesIn(new KitMetrics(new Registry()).registry));
  });

  it('lets each manager on one registry ask for the metrics of the process', () => {
    const metrics = new KitMetrics(new Registry());

    metrics.collectNodeMetrics();

    expect(() => metrics.collectNodeMetrics()).not.toThrow();
  });
});
