import { ApiObject, Chart } from 'cdk8s';
import { ConfigMap } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { buildAlerts } from './monitoring/alerts';
import { buildElastiDashboard } from './monitoring/dashboard';

export interface MonitoringProps {
  /**
   * Where Elasti runs.
   * @default 'elasti'
   */
  readonly namespace?: string;
  /**
   * More labels for the ServiceMonitors and the PrometheusRule: a Prometheus often takes only those with its own, such as `release: kube-prometheus-stack`.
   * @default - none
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * How often both programs are scraped.
   * @default '30s'
   */
  readonly scrapeInterval?: string;
  /**
   * More labels for the dashboard's ConfigMap, beside the one that Grafana's sidecar looks for.
   * @default - only `grafana_dashboard: '1'`
   */
  readonly dashboardLabels?: Readonly<Record<string, string>>;
}

/** Every Service of the installation has it; which of them is scraped is told by the port's name. */
const selector = { matchLabels: { 'app.kubernetes.io/name': 'elasti' } };

/**
 * What Prometheus and Grafana need: ServiceMonitors of operator and resolver, alerts, and a dashboard.
 *
 * Needs the CRDs of the Prometheus operator, and nothing else of Elasti needs this chart.
 */
export class MonitoringChart extends Chart {
  constructor(scope: Construct, id: string, props: MonitoringProps = {}) {
    const namespace = props.namespace ?? 'elasti';
    super(scope, id, { namespace, disableResourceNameHashes: true, labels: { 'app.kubernetes.io/name': 'elasti' } });

    this.monitor('elasti-operator', 'metrics', props);
    this.monitor('elasti-resolver', 'http-resolver', props);
    new ApiObject(this, 'alerts', {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      metadata: { name: 'elasti', labels: { ...props.labels } },
      spec: { groups: buildAlerts({ namespace }) },
    });
    new ConfigMap(this, 'dashboard', {
      metadata: { name: 'elasti-dashboard', labels: { grafana_dashboard: '1', ...props.dashboardLabels } },
      data: { 'elasti.json': `${JSON.stringify(buildElastiDashboard({ namespace }), undefined, 2)}\n` },
    });
  }

  private monitor(name: string, port: string, { labels, scrapeInterval }: MonitoringProps): void {
    new ApiObject(this, name, {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata: { name, labels: { ...labels } },
      spec: {
        selector,
        // The labels `namespace` and `service` of our metrics name the sleeping service, not the pod that was scraped.
        endpoints: [{ port, path: '/metrics', interval: scrapeInterval ?? '30s', honorLabels: true }],
      },
    });
  }
}
