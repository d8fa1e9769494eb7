/** What an alert is about, and where. */
export interface AlertScope {
  /** Where Elasti runs. */
  readonly namespace: string;
}

/** One rule of a PrometheusRule. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  /** How long it must hold; without it the alert fires at once. */
  readonly for?: string;
  readonly labels: { readonly severity: 'critical' | 'warning' };
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    /** The first things to do, in their order. */
    readonly runbook: string;
  };
}

export interface AlertGroup {
  readonly name: string;
  readonly rules: readonly Alert[];
}

/** The lease of the operator's leader, by which its series are told from those of other controllers. */
export const leaseName = 'acf50383.truefoundry.io';

/** Every alert of Elasti, by whose trouble it is. */
export function buildAlerts(scope: AlertScope): AlertGroup[] {
  return [
    { name: 'elasti.requests', rules: [requestsLost, requestsRejected, requestsHeldLong] },
    { name: 'elasti.wake', rules: [wakeCallsFailing, scaleUpFailing] },
    { name: 'elasti.installation', rules: [noResolver(scope), noLeader(scope), routesDeaf] },
    { name: 'elasti.services', rules: [triggersUnhealthy, restoreFailing] },
  ];
}

/** How much a counter grew. A series that has just begun counts whole: `increase` does not see the step from nothing to one. */
function grown(series: string, window: string): string {
  return `((${series} unless ${series} offset ${window}) or increase(${series}[${window}]))`;
}

const requestsLost: Alert = {
  alert: 'ElastiRequestsLost',
  expr: `sum by (namespace, service) (${grown('elasti_resolver_lost_count', '5m')}) > 0`,
  labels: { severity: 'critical' },
  annotations: {
    summary: 'Requests for {{ $labels.namespace }}/{{ $labels.service }} got no whole answer',
    description:
      '{{ $value | humanize }} requests of the last five minutes were given to a pod that went away, gave no valid answer or none in time. ' +
      'Those that could be repeated were, and are not among them.',
    runbook:
      'Look for restarts and failed probes of its pods: kubectl get pods -n {{ $labels.namespace }}. Pods that exit at SIGTERM need a preStop sleep of some seconds. ' +
      'The log of the resolver names the pods.',
  },
};

const requestsRejected: Alert = {
  alert: 'ElastiRequestsRejected',
  expr: `sum by (namespace, service, reason) (${grown('elasti_resolver_rejected_count{reason=~"queue_full|timed_out"}', '5m')}) > 0`,
  labels: { severity: 'critical' },
  annotations: {
    summary: 'Requests for {{ $labels.namespace }}/{{ $labels.service }} were turned away: {{ $labels.reason }}',
    description:
      '{{ $value | humanize }} requests of the last five minutes found no place (queue_full, 503) or no ready pod in time (timed_out, 504).',
    runbook:
      'timed_out: see why its pods do not become ready: kubectl describe elastiservices -n {{ $labels.namespace }}, then its target. ' +
      'queue_full: raise spec.queue of its ElastiService, or the resolvers with their memory.',
  },
};

const requestsHeldLong: Alert = {
  alert: 'ElastiRequestsHeldLong',
  expr: 'sum by (namespace, source) (elasti_resolver_queued_count) > 0',
  for: '5m',
  labels: { severity: 'warning' },
  annotations: {
    summary: 'Requests for {{ $labels.namespace }}/{{ $labels.source }} have been held for five minutes',
    description: '{{ $value }} requests wait for a ready pod. They are answered with 504 when their time is over.',
    runbook:
      'Its target was asked for and does not become ready, or cannot take what comes: kubectl get pods and kubectl get events in {{ $labels.namespace }}.',
  },
};

const wakeCallsFailing: Alert = {
  alert: 'ElastiWakeCallsFailing',
  expr: 'sum by (error) (rate(elasti_resolver_operator_rpc_count{error!="success"}[2m])) > 0',
  for: '2m',
  labels: { severity: 'critical' },
  annotations: {
    summary: 'The operator does not take wake calls: {{ $labels.error }}',
    description: 'Resolvers have been asking for targets for two minutes and were not heard. Their requests are held and asked for again.',
    runbook:
      'unreachable: kubectl get pods of the operator, and whether a NetworkPolicy lets resolvers reach port 8013. ' +
      'refused: the log of the resolvers has the answer; 401 and 403 are about their token, 5xx about the API server.',
  },
};

const scaleUpFailing: Alert = {
  alert: 'ElastiScaleUpFailing',
  expr: `sum by (namespace, service_name, target) (${grown('elasti_operator_scale_counter{action="scale-up",error="error"}', '5m')}) >= 3`,
  labels: { severity: 'critical' },
  annotations: {
    summary: '{{ $labels.namespace }}/{{ $labels.service_name }} cannot be woken',
    description: 'The scale of {{ $labels.target }} could not be written {{ $value | humanize }} times in five minutes.',
    runbook:
      'kubectl describe elastiservices -n {{ $labels.namespace }} and the log of the operator have the error: often a permission, a quota or a webhook. ' +
      'kubectl scale brings the target up by hand; Elasti then lets its pods take the traffic.',
  },
};

function noResolver({ namespace }: AlertScope): Alert {
  return {
    alert: 'ElastiNoResolver',
    expr: `max(elasti_operator_ready_resolvers{namespace="${namespace}"}) == 0`,
    for: '1m',
    labels: { severity: 'critical' },
    annotations: {
      summary: 'No resolver is ready',
      description: 'Nobody takes the requests of sleeping services. The operator brings them all back, and puts none to sleep.',
      runbook: `kubectl get pods -n ${namespace} -l app=elasti-resolver, then kubectl describe and logs of those that are not ready.`,
    },
  };
}

function noLeader({ namespace }: AlertScope): Alert {
  return {
    alert: 'ElastiNoLeader',
    expr: `(sum(leader_election_master_status{name="${leaseName}", namespace="${namespace}"}) or vector(0)) == 0`,
    for: '1m',
    labels: { severity: 'critical' },
    annotations: {
      summary: 'No operator leads',
      description: 'Nothing is put to sleep and no Service is switched. Operators that run still answer wakes; without any, nothing wakes.',
      runbook:
        `kubectl get pods -n ${namespace} -l control-plane=controller-manager and their logs, ` +
        `then kubectl get lease -n ${namespace} ${leaseName}: who holds it, and when it was renewed. Is the operator scraped at all?`,
    },
  };
}

const routesDeaf: Alert = {
  alert: 'ElastiRoutesDeaf',
  expr: 'sum by (instance) (elasti_resolver_deaf_routes) > 0',
  for: '5m',
  labels: { severity: 'warning' },
  annotations: {
    summary: 'The resolver at {{ $labels.instance }} does not listen on all its ports',
    description: '{{ $value }} ports of services are not listened on. Those services are not put to sleep behind it.',
    runbook: 'The log of that resolver says why: a port of 20000-29999 that another program has, or too few open files. Delete the pod.',
  },
};

const triggersUnhealthy: Alert = {
  alert: 'ElastiTriggersUnhealthy',
  expr: 'min by (crd_name) (elasti_operator_triggers_healthy) == 0',
  for: '15m',
  labels: { severity: 'warning' },
  annotations: {
    summary: 'A trigger of {{ $labels.crd_name }} fails',
    description: 'Whether it is idle is not known, so it stays awake for as long as its trigger fails.',
    runbook:
      'The condition TriggersHealthy of the ElastiService has the error: kubectl get elastiservices -A. ' +
      'Try its query on the Prometheus server: it must give exactly one number.',
  },
};

const restoreFailing: Alert = {
  alert: 'ElastiRestoreFailing',
  expr: `sum by (crd_name) (${grown('elasti_operator_CRD_finalizer_counter{error="error"}', '10m')}) >= 3`,
  labels: { severity: 'warning' },
  annotations: {
    summary: 'The deleted ElastiService {{ $labels.crd_name }} cannot give its target back',
    description: 'It failed {{ $value | humanize }} times in ten minutes. After five minutes the target is left as it is.',
    runbook: 'The log of the operator has the error. Scale the target up by hand, and the deletion goes on.',
  },
};
