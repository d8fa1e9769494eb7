import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { metricOptions } from './metric-options';
import { PrometheusOperatorMetrics } from './prometheus-operator.metrics';

function setup() {
  const registry = new Registry();
  const registers = [registry];
  const metrics = new PrometheusOperatorMetrics({
    reconcile: new Histogram({ ...metricOptions.reconcile, registers }),
    finalizer: new Counter({ ...metricOptions.finalizer, registers }),
    update: new Counter({ ...metricOptions.update, registers }),
    mode: new Gauge({ ...metricOptions.mode, registers }),
    scale: new Counter({ ...metricOptions.scale, registers }),
    triggers: new Gauge({ ...metricOptions.triggers, registers }),
    readyResolvers: new Gauge({ ...metricOptions.readyResolvers, registers }),
    dryRunSlept: new Gauge({ ...metricOptions.dryRunSlept, registers }),
    dryRunWakes: new Gauge({ ...metricOptions.dryRunWakes, registers }),
  });
  const lines = async () => (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { metrics, lines };
}

describe('PrometheusOperatorMetrics', () => {
  it('shows the mode of an ElastiService as the dashboard expects it', async () => {
    const { metrics, lines } = setup();

    metrics.mode('shop', 'web', 'proxy');
    metrics.mode('shop', 'cart', 'proxy');
    metrics.mode('shop', 'cart', 'serve');

    expect(await lines()).toEqual(
      expect.arrayContaining(['elasti_operator_mode{crd_name="shop/web"} 1', 'elasti_operator_mode{crd_name="shop/cart"} 0']),
    );
  });

  it('shows whose triggers fail, and how many resolvers are ready', async () => {
    const { metrics, lines } = setup();

    metrics.triggers('shop', 'web', 'healthy');
    metrics.triggers('shop', 'cart', 'failing');
    metrics.resolversReady(2);

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_operator_triggers_healthy{crd_name="shop/web"} 1',
        'elasti_operator_triggers_healthy{crd_name="shop/cart"} 0',
        'elasti_operator_ready_resolvers 2',
      ]),
    );
  });

  it('shows what a dry run would have come to, under the Service that it has, and nothing when there is none', async () => {
    const { metrics, lines } = setup();
    const ofDryRuns = async () => (await lines()).filter((line) => line.includes('dry_run'));

    metrics.dryRun('shop', 'es-web', 'web', { sleptSeconds: 3_600, wakes: 9 });
    expect(await ofDryRuns()).toEqual([
      'elasti_operator_dry_run_slept_seconds{namespace="shop",service="web"} 3600',
      'elasti_operator_dry_run_wakes{namespace="shop",service="web"} 9',
    ]);
    metrics.dryRun('shop', 'es-web', 'renamed', { sleptSeconds: 3_660, wakes: 9 });
    metrics.dryRun('shop', 'es-api', 'renamed');
    expect(await ofDryRuns()).toEqual([
      'elasti_operator_dry_run_slept_seconds{namespace="shop",service="renamed"} 3660',
      'elasti_operator_dry_run_wakes{namespace="shop",service="renamed"} 9',
    ]);
    metrics.dryRun('shop', 'es-web', 'renamed');
    expect(await ofDryRuns()).toEqual([]);
  });

  it('keeps the dry run of the one that has come to speak for a Service when the other goes', async () => {
    const { metrics, lines } = setup();
    metrics.dryRun('shop', 'younger', 'web', { sleptSeconds: 1, wakes: 1 });
    metrics.dryRun('shop', 'older', 'web', { sleptSeconds: 2, wakes: 2 });

    metrics.forget('shop', 'younger', 'web');

    expect(await lines()).toContain('elasti_operator_dry_run_wakes{namespace="shop",service="web"} 2');
  });

  it('counts under the label names of KubeElasti', async () => {
    const { metrics, lines } = setup();

    metrics.reconciled('success', 0.2);
    metrics.statusWritten('shop', 'web', 'serve');
    metrics.finalized('shop', 'web', 'error');
    metrics.scaled('shop', 'web', 'scale-up', 'success', 'Deployment-web');

    expect(await lines()).toEqual(
      expect.arrayContaining([
        'elasti_operator_reconcile_bucket{le="0.5",crd_name="elastiservices",error="success"} 1',
        'elasti_operator_CRD_update_counter{crd_name="shop/web",mode="serve",error="success"} 1',
        'elasti_operator_CRD_finalizer_counter{crd_name="shop/web",error="error"} 1',
        'elasti_operator_scale_counter{namespace="shop",service_name="web",target="Deployment-web",action="scale-up",error="success"} 1',
      ]),
    );
  });

  it('keeps no series of a service that is gone but the count of its cleanup', async () => {
    const { metrics, lines } = setup();
    metrics.mode('shop', 'es-web', 'proxy');
    metrics.triggers('shop', 'es-web', 'failing');
    metrics.dryRun('shop', 'es-web', 'web', { sleptSeconds: 1, wakes: 1 });
    metrics.statusWritten('shop', 'es-web');
    metrics.statusWritten('shop', 'es-web', 'proxy');
    metrics.scaled('shop', 'web', 'scale-down', 'success', 'Deployment-web');
    metrics.scaled('shop', 'web', 'scale-up', 'error');
    metrics.finalized('shop', 'es-web', 'success');

    metrics.forget('shop', 'es-web', 'web');

    const ofServices = (await lines()).filter((line) => line.includes('web'));
    expect(ofServices).toEqual(['elasti_operator_CRD_finalizer_counter{crd_name="shop/es-web",error="success"} 1']);
  });

  it('keeps the counts of the latest cleanups only', async () => {
    const { metrics, lines } = setup();
    for (let i = 0; i < 600; i++) metrics.finalized('shop', `web-${i}`, 'success');

    const shown = (await lines()).filter((line) => line.includes('web-'));

    expect(shown).toHaveLength(500);
    expect(shown.at(-1)).toContain('web-599');
  });
});
