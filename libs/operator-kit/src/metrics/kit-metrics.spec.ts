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
});
