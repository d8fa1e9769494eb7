import { ApiObject, Chart } from 'cdk8s';
import { type Deployment, HorizontalPodAutoscaler, Metric, MetricTarget } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings';
import { operatorLabels, operatorName, resolverLabels, resolverName } from './names';

/** Settings, whose defaults are in `SettingsFile` beside each field (`resolver`: in `ResolverSettings`), and what is scaled. */
export type AutoscalingProps = Pick<Settings, 'namespace' | 'resolver' | 'disruptionBudget'> & {
  /** What the HorizontalPodAutoscaler scales; it then has no number of replicas of its own. */
  readonly resolverDeployment: Deployment;
};

/** How many pods there are: a HorizontalPodAutoscaler for the resolvers where it is asked for, and budgets so that evictions come one by one. */
export class AutoscalingChart extends Chart {
  constructor(scope: Construct, id: string, { namespace, resolver, disruptionBudget, resolverDeployment }: AutoscalingProps) {
    super(scope, id, { namespace, disableResourceNameHashes: true, labels: { 'app.kubernetes.io/name': 'elasti' } });

    if (disruptionBudget.enabled) {
      this.addBudget(operatorName, operatorLabels, disruptionBudget.maxUnavailable);
      this.addBudget(resolverName, resolverLabels, disruptionBudget.maxUnavailable);
    }
    const { enabled, minReplicas, maxReplicas, targetCpuPercent } = resolver.autoscaling;
    if (!enabled) return;
    new HorizontalPodAutoscaler(this, 'resolver', {
      metadata: { name: resolverName },
      target: resolverDeployment,
      minReplicas,
      maxReplicas,
      metrics: [Metric.resourceCpu(MetricTarget.averageUtilization(targetCpuPercent))],
    });
  }

  /** By the number that may be away, not by the number that must stay: with one replica the latter would hold up every drain. cdk8s-plus has no budgets. */
  private addBudget(name: string, matchLabels: Record<string, string>, maxUnavailable: number): void {
    new ApiObject(this, `${name}-budget`, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { maxUnavailable, selector: { matchLabels }, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    });
  }
}
