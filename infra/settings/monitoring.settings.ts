import { Field } from '@elasti/operator-kit';

/** ServiceMonitors, alerts and a dashboard, for clusters that have the Prometheus operator. */
export class MonitoringSettings {
  @Field({ description: 'Whether there are any; needs the CRDs of the Prometheus operator', default: false })
  enabled!: boolean;

  @Field({ description: 'Labels by which a Prometheus takes ServiceMonitors and alerts for its own', mapOf: 'string', default: {} })
  labels!: Record<string, string>;

  @Field({ description: 'How often both programs are scraped', pattern: '^[0-9]+(ms|s|m|h)$', default: '30s' })
  scrapeInterval!: string;

  @Field({ description: 'Labels of the dashboard, beside grafana_dashboard', mapOf: 'string', default: {} })
  dashboardLabels!: Record<string, string>;
}
