import type { TrafficMode } from '@elasti/api';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { type DryRunFigures, OperatorMetrics, type Outcome } from './operator.metrics';

/** Of all ElastiServices together: a histogram for each would be ten series a service. */
const allElastiServices = 'elastiservices';
/** Counted at the very end of an object's life, so these outlive it; the oldest make way. */
const keptFinalized = 500;
const outcomes: readonly Outcome[] = ['success', 'error'];
/** A label without a value is no label to Prometheus. */
const statusModes: readonly (TrafficMode | '')[] = ['serve', 'proxy', ''];

export interface OperatorSeries {
  readonly reconcile: Histogram;
  readonly finalizer: Counter;
  readonly update: Counter;
  readonly mode: Gauge;
  readonly scale: Counter;
  readonly triggers: Gauge;
  readonly readyResolvers: Gauge;
  readonly dryRunSlept: Gauge;
  readonly dryRunWakes: Gauge;
}

/**
 * The operator's own metrics under KubeElasti's names.
 *
 * Holds series only of objects that were not forgotten, beside the latest cleanups.
 */
export class PrometheusOperatorMetrics extends OperatorMetrics {
  private readonly finalizedNames = new Set<string>();
  /** What `scaled` was told of each Service, for `forget`. */
  private readonly scaleLabels = new Map<string, Map<string, Record<string, string>>>();
  /** The Service of each ElastiService that is in a dry run. */
  private readonly dryRuns = new Map<string, string>();

  constructor(private readonly series: OperatorSeries) {
    super();
  }

  reconciled(outcome: Outcome, seconds: number): void {
    this.series.reconcile.observe({ crd_name: allElastiServices, error: outcome }, seconds);
  }

  mode(namespace: string, name: string, mode: TrafficMode): void {
    this.series.mode.set({ crd_name: crdName(namespace, name) }, mode === 'proxy' ? 1 : 0);
  }

  triggers(namespace: string, name: string, state: 'healthy' | 'failing'): void {
    this.series.triggers.set({ crd_name: crdName(namespace, name) }, state === 'healthy' ? 1 : 0);
  }

  dryRun(namespace: string, name: string, service: string, figures?: DryRunFigures): void {
    const key = crdName(namespace, name);
    if (!figures || this.dryRuns.get(key) !== service) this.forgetDryRun(namespace, key);
    if (!figures) return;
    this.dryRuns.set(key, service);
    this.series.dryRunSlept.set({ namespace, service }, figures.sleptSeconds);
    this.series.dryRunWakes.set({ namespace, service }, figures.wakes);
  }

  resolversReady(count: number): void {
    this.series.readyResolvers.set(count);
  }

  statusWritten(namespace: string, name: string, mode?: TrafficMode): void {
    this.series.update.inc({ crd_name: crdName(namespace, name), mode: mode ?? '', error: 'success' });
  }

  finalized(namespace: string, name: string, outcome: Outcome): void {
    const label = crdName(namespace, name);
    this.finalizedNames.delete(label);
    this.finalizedNames.add(label);
    this.series.finalizer.inc({ crd_name: label, error: outcome });

    const [oldest] = this.finalizedNames;
    if (oldest === undefined || this.finalizedNames.size <= keptFinalized) return;
    this.finalizedNames.delete(oldest);
    for (const error of outcomes) this.series.finalizer.remove({ crd_name: oldest, error });
  }

  scaled(namespace: string, service: string, action: 'scale-up' | 'scale-down', outcome: Outcome, target = ''): void {
    const labels = { namespace, service_name: service, target, action, error: outcome };
    const ofService = this.scaleLabels.get(crdName(namespace, service)) ?? new Map<string, Record<string, string>>();
    this.scaleLabels.set(crdName(namespace, service), ofService.set(Object.values(labels).join('/'), labels));
    this.series.scale.inc(labels);
  }

  forget(namespace: string, name: string, service = name): void {
    const label = crdName(namespace, name);
    this.series.mode.remove({ crd_name: label });
    this.series.triggers.remove({ crd_name: label });
    this.forgetDryRun(namespace, label);
    for (const mode of statusModes) this.series.update.remove({ crd_name: label, mode, error: 'success' });

    const scales = this.scaleLabels.get(crdName(namespace, service));
    this.scaleLabels.delete(crdName(namespace, service));
    for (const labels of scales?.values() ?? []) this.series.scale.remove(labels);
  }

  private forgetDryRun(namespace: string, key: string): void {
    const service = this.dryRuns.get(key);
    if (service === undefined) return;
    this.dryRuns.delete(key);
    // Of two on one Service the other may have come to speak for it first.
    if ([...this.dryRuns].some(([other, its]) => its === service && other.startsWith(crdName(namespace, '')))) return;
    this.series.dryRunSlept.remove({ namespace, service });
    this.series.dryRunWakes.remove({ namespace, service });
  }
}

function crdName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
