import { ElastiService } from '@elasti/api';
import { ApiObject, type App, type Chart } from 'cdk8s';
import { AutoscalingChart } from './charts/autoscaling.chart';
import { CrdChart } from './charts/crd.chart';
import { MonitoringChart } from './charts/monitoring.chart';
import { NamespaceChart } from './charts/namespace.chart';
import { NetworkChart } from './charts/network.chart';
import { OperatorChart } from './charts/operator.chart';
import type { OutputFormat } from './charts/output-format';
import { RbacChart } from './charts/rbac.chart';
import { ResolverChart } from './charts/resolver.chart';
import type { Settings } from './settings/settings';

/**
 * All of Elasti as the settings want it: one chart for each concern, in the order in which they can be applied.
 *
 * What concerns the whole cluster is in the first two; in the namespaced variant nothing else does.
 */
export function addInstallation(app: App, settings: Settings, format: OutputFormat = 'plain'): Chart[] {
  const crd = new CrdChart(app, 'crd', { crd: ElastiService.crd(), format });
  const namespace = new NamespaceChart(app, 'namespace', { ...settings, format });
  const rbac = new RbacChart(app, 'rbac', settings);
  const network = settings.network.policies ? [new NetworkChart(app, 'network', settings)] : [];
  const operator = new OperatorChart(app, 'operator', { ...settings, account: rbac.operatorAccount });
  const resolver = new ResolverChart(app, 'resolver', { ...settings, account: rbac.resolverAccount });
  const autoscaling = new AutoscalingChart(app, 'autoscaling', { ...settings, resolverDeployment: resolver.deployment });
  const { enabled, labels, scrapeInterval, dashboardLabels } = settings.monitoring;
  const monitoringProps = { namespace: settings.namespace, labels, scrapeInterval, dashboardLabels };
  const monitoring = enabled ? [new MonitoringChart(app, 'monitoring', monitoringProps)] : [];

  const charts = [crd, namespace, rbac, ...network, operator, resolver, autoscaling, ...monitoring];
  charts.forEach((chart, index) => {
    const before = charts[index - 1];
    if (before) chart.addDependency(before);
  });
  mark(charts, settings);
  return charts;
}

function mark(charts: readonly Chart[], { labels, annotations }: Pick<Settings, 'labels' | 'annotations'>): void {
  const constructs = charts.flatMap(({ node }) => node.findAll());
  for (const { metadata } of constructs.filter((construct) => ApiObject.isApiObject(construct))) {
    for (const [name, value] of Object.entries(labels)) metadata.addLabel(name, value);
    for (const [name, value] of Object.entries(annotations)) metadata.addAnnotation(name, value);
  }
}
