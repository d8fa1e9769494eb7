/** The first five have the names and label names that KubeElasti's dashboard queries: its `source` is the Service, `error` is "success" when there was none. */
export const metricOptions = {
  hostExtraction: {
    name: 'elasti_resolver_host_extraction_count',
    help: 'Requests on the shared port, by where the name of their service was found',
    labelNames: ['extractionType', 'error'],
  },
  queued: { name: 'elasti_resolver_queued_count', help: 'Requests that are held', labelNames: ['namespace', 'source'] },
  requests: {
    name: 'elasti_resolver_incoming_requests',
    help: 'Seconds from a request to the end of its answer',
    labelNames: ['namespace', 'source', 'status', 'error'],
    buckets: [0.1, 0.5, 1, 2, 5, 10],
  },
  trafficSwitch: {
    name: 'elasti_resolver_traffic_switch_count',
    help: 'Changes of who takes the traffic of a service: enabled "true" for the resolvers, "false" for its own pods',
    labelNames: ['namespace', 'source', 'enabled'],
  },
  operatorRpc: { name: 'elasti_resolver_operator_rpc_count', help: 'Wake calls to the operator', labelNames: ['error'] },
  held: {
    name: 'elasti_resolver_held_seconds',
    help: 'Seconds that requests were held',
    labelNames: ['namespace', 'service'],
    buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600],
  },
  wake: {
    name: 'elasti_resolver_wake_seconds',
    help: 'Seconds from the first request held for a sleeping service to its first ready pod',
    labelNames: ['namespace', 'service'],
    buckets: [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300],
  },
  firstByte: {
    name: 'elasti_resolver_ready_to_first_byte_seconds',
    help: 'Seconds from a pod becoming ready to the first byte of a held request sent to it',
    labelNames: [],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  },
  rejected: {
    name: 'elasti_resolver_rejected_count',
    help: 'Requests and connections that got no pod, by why',
    labelNames: ['namespace', 'service', 'reason'],
  },
  lost: {
    name: 'elasti_resolver_lost_count',
    help: 'Requests that a pod was given and whose answer was cut off, not valid or not in time',
    labelNames: ['namespace', 'service'],
  },
  probes: {
    name: 'elasti_resolver_probe_answer_count',
    help: 'Requests answered by probeResponse, without waking anything',
    labelNames: ['namespace', 'service'],
  },
  connections: { name: 'elasti_resolver_open_connections', help: 'Connections of clients that are open' },
  deafRoutes: { name: 'elasti_resolver_deaf_routes', help: 'Routes whose port should listen and does not' },
  upstreams: { name: 'elasti_resolver_open_upstream_connections', help: 'Connections to pods that are open' },
  open: {
    name: 'elasti_resolver_open_requests',
    help: 'Requests and connections under way, held ones included, that keep their service awake',
    labelNames: ['namespace', 'service'],
  },
};
