import { type AlertScope, leaseName } from './alerts';
import { buildDashboard, type Panel, type Query, type Row, type Variable } from './grafana';

const variables: readonly Variable[] = [
  { name: 'namespace', label: 'Namespace', query: 'label_values(elasti_resolver_incoming_requests_count, namespace)' },
  { name: 'service', label: 'Service', query: 'label_values(elasti_resolver_incoming_requests_count{namespace=~"$namespace"}, source)' },
];

/** What the variables leave, by the label that has the Service's name in this metric. */
const chosen = (label: 'service' | 'source' | 'service_name') => `namespace=~"$namespace", ${label}=~"$service"`;

const line = (legend: string, expr: string): Query => ({ legend, expr });
const graph = (title: string, unit: string, ...queries: Query[]): Panel => ({ kind: 'timeseries', title, unit, queries });
const stat = (title: string, expr: string): Panel => ({ kind: 'stat', title, queries: [line(title, expr)] });

const rate = (series: string) => `rate(${series}[$__rate_interval])`;
const quantiles = (metric: string, selector: string): Query[] =>
  [0.5, 0.99].map((quantile) =>
    line(`p${quantile * 100}`, `histogram_quantile(${quantile}, sum by (le) (${rate(`${metric}_bucket{${selector}}`)}))`),
  );

/** The dashboard of an installation: how it stands, what goes through it, how it wakes, and what its programs take. */
export function buildElastiDashboard(scope: AlertScope): object {
  return buildDashboard({ uid: 'elasti', title: 'Elasti', variables, rows: dashboardRows(scope) });
}

/** What the dashboard shows, before it is laid out. */
export function dashboardRows({ namespace }: AlertScope): Row[] {
  return [standing(namespace), requests, wakes, operator(namespace), processes(namespace)];
}

export const dashboardVariables = variables;

function standing(namespace: string): Row {
  return {
    title: 'How it stands',
    panels: [
      stat('Services that sleep', 'sum(elasti_operator_mode)'),
      stat('Services', 'count(elasti_operator_mode)'),
      stat('Leaders', `sum(leader_election_master_status{name="${leaseName}", namespace="${namespace}"})`),
      stat('Resolvers ready', `max(elasti_operator_ready_resolvers{namespace="${namespace}"})`),
      stat('Requests held', 'sum(elasti_resolver_queued_count)'),
      stat('ElastiServices with a failing trigger', 'count(elasti_operator_triggers_healthy == 0) or vector(0)'),
    ],
  };
}

const requests: Row = {
  title: 'Requests through the resolvers',
  panels: [
    graph(
      'Requests',
      'reqps',
      line('{{source}} {{status}}', `sum by (source, status) (${rate(`elasti_resolver_incoming_requests_count{${chosen('source')}}`)})`),
    ),
    graph('Duration', 's', ...quantiles('elasti_resolver_incoming_requests', chosen('source'))),
    graph('Held', 'short', line('{{source}}', `sum by (source) (elasti_resolver_queued_count{${chosen('source')}})`)),
    graph(
      'Turned away',
      'reqps',
      line('{{service}} {{reason}}', `sum by (service, reason) (${rate(`elasti_resolver_rejected_count{${chosen('service')}}`)})`),
    ),
    graph(
      'Lost with their pod',
      'reqps',
      line('{{service}}', `sum by (service) (${rate(`elasti_resolver_lost_count{${chosen('service')}}`)})`),
    ),
    graph(
      'Answered by probeResponse',
      'reqps',
      line('{{service}}', `sum by (service) (${rate(`elasti_resolver_probe_answer_count{${chosen('service')}}`)})`),
    ),
  ],
};

const wakes: Row = {
  title: 'Sleeping and waking',
  panels: [
    graph('Time to wake', 's', ...quantiles('elasti_resolver_wake_seconds', chosen('service'))),
    graph('Time requests were held', 's', ...quantiles('elasti_resolver_held_seconds', chosen('service'))),
    {
      ...graph(
        'Ready pod to first byte',
        's',
        line('p99', `histogram_quantile(0.99, sum by (le) (${rate('elasti_resolver_ready_to_first_byte_seconds_bucket')}))`),
      ),
      description: 'What Elasti itself adds to a wake: from the pod being ready to the first held request being sent to it.',
    },
    graph(
      'Targets scaled',
      'cps',
      line(
        '{{service_name}} {{action}} {{error}}',
        `sum by (service_name, action, error) (${rate(`elasti_operator_scale_counter{${chosen('service_name')}}`)})`,
      ),
    ),
    graph('Wake calls', 'cps', line('{{error}}', `sum by (error) (${rate('elasti_resolver_operator_rpc_count')})`)),
    graph(
      'Switches of the traffic',
      'cps',
      line(
        '{{source}} to resolvers: {{enabled}}',
        `sum by (source, enabled) (${rate(`elasti_resolver_traffic_switch_count{${chosen('source')}}`)})`,
      ),
    ),
  ],
};

function operator(namespace: string): Row {
  const own = `namespace="${namespace}"`;
  return {
    title: 'The operator',
    panels: [
      graph('Reconciles', 'cps', line('{{error}}', `sum by (error) (${rate('elasti_operator_reconcile_count')})`)),
      graph('Time of a reconcile', 's', ...quantiles('elasti_operator_reconcile', 'error="success"')),
      graph('Keys that wait', 'short', line('{{name}}', `sum by (name) (workqueue_depth{${own}})`)),
      graph(
        'Requests to the API server',
        'reqps',
        line('{{verb}} {{code}}', `sum by (verb, code) (${rate(`rest_client_requests_total{${own}}`)})`),
      ),
      graph(
        'Watches begun again',
        'cps',
        line('{{resource}} {{reason}}', `sum by (resource, reason) (${rate(`watch_restarts_total{${own}}`)})`),
      ),
      graph('Objects in caches', 'short', line('{{resource}}', `max by (resource) (cache_objects{${own}})`)),
    ],
  };
}

function processes(namespace: string): Row {
  const own = `namespace="${namespace}"`;
  return {
    title: 'The programs',
    panels: [
      graph('Memory', 'bytes', line('{{pod}}', `sum by (pod) (process_resident_memory_bytes{${own}})`)),
      graph('Processor', 'short', line('{{pod}}', `sum by (pod) (${rate(`process_cpu_seconds_total{${own}}`)})`)),
      graph('Event loop lag, p99', 's', line('{{pod}}', `max by (pod) (nodejs_eventloop_lag_p99_seconds{${own}})`)),
      graph('Connections of clients', 'short', line('{{pod}}', 'sum by (pod) (elasti_resolver_open_connections)')),
      graph('Connections to pods', 'short', line('{{pod}}', 'sum by (pod) (elasti_resolver_open_upstream_connections)')),
      graph('Routes that do not listen', 'short', line('{{pod}}', 'sum by (pod) (elasti_resolver_deaf_routes)')),
    ],
  };
}
