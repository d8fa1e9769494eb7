import { KitMetrics, SharedCache } from '@elasti/operator-kit';
import { Global, Module } from '@nestjs/common';
import { getToken, makeCounterProvider, makeGaugeProvider, makeHistogramProvider, PrometheusModule } from '@willsoto/nestjs-prometheus';
import { type Counter, type Gauge, type Histogram, register } from 'prom-client';
import { countInformers, countInformerStarts } from './informer-counts';
import { InformerMetrics } from './informer.metrics';
import { metricOptions } from './metric-options';
import { OperatorMetrics } from './operator.metrics';
import { PrometheusOperatorMetrics } from './prometheus-operator.metrics';

const { reconcile, finalizer, update, mode, scale, triggers, readyResolvers, dryRunSlept, dryRunWakes } = metricOptions;
const { informers, informerStarts, informerEvents } = metricOptions;

/**
 * Serves /metrics from prom-client's default registry, where the kit's metrics are as well, and provides what the rooms report to.
 *
 * Needs OperatorKitModule. One in a process: the registry is one.
 */
@Global()
@Module({
  imports: [
    PrometheusModule.registerAsync({
      // The registry outlives the module where a process starts several applications, as tests do.
      useFactory: () => ({ defaultMetrics: { enabled: register.getSingleMetric('process_cpu_user_seconds_total') === undefined } }),
    }),
  ],
  providers: [
    makeHistogramProvider(reconcile),
    makeCounterProvider(finalizer),
    makeCounterProvider(update),
    makeGaugeProvider(mode),
    makeCounterProvider(scale),
    makeGaugeProvider(triggers),
    makeGaugeProvider(readyResolvers),
    makeGaugeProvider(dryRunSlept),
    makeGaugeProvider(dryRunWakes),
    makeCounterProvider(informerEvents),
    makeGaugeProvider({
      ...informers,
      inject: [SharedCache],
      collect(this: Gauge, caches: SharedCache) {
        countInformers(this, caches);
      },
    }),
    makeCounterProvider({
      ...informerStarts,
      inject: [SharedCache, KitMetrics],
      collect(this: Counter, caches: SharedCache, kitMetrics: KitMetrics) {
        return countInformerStarts(this, caches, kitMetrics);
      },
    }),
    {
      provide: OperatorMetrics,
      inject: [reconcile, finalizer, update, scale, mode, triggers, readyResolvers, dryRunSlept, dryRunWakes].map(({ name }) =>
        getToken(name),
      ),
      useFactory: (a: Histogram, b: Counter, c: Counter, d: Counter, ...[e, f, g, h, i]: [Gauge, Gauge, Gauge, Gauge, Gauge]) =>
        new PrometheusOperatorMetrics({
          reconcile: a,
          finalizer: b,
          update: c,
          scale: d,
          mode: e,
          triggers: f,
          readyResolvers: g,
          dryRunSlept: h,
          dryRunWakes: i,
        }),
    },
    {
      provide: InformerMetrics,
      inject: [getToken(informerEvents.name)],
      useFactory: (counter: Counter): InformerMetrics => ({ handled: (key, error) => counter.inc({ key, error }) }),
    },
  ],
  exports: [OperatorMetrics, InformerMetrics],
})
export class MetricsModule {}
