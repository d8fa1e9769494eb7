import { Module } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { register } from 'prom-client';
import { TrafficMeter } from './traffic-meter';

/**
 * Serves /metrics from prom-client's default registry, where the kit's metrics are as well, and provides what the rooms report to.
 *
 * Needs OperatorKitModule. One in a process: the registry is one.
 */
@Module({
  imports: [
    PrometheusModule.registerAsync({
      // The registry outlives the module where a process starts several applications, as tests do.
      useFactory: () => ({ defaultMetrics: { enabled: register.getSingleMetric('process_cpu_user_seconds_total') === undefined } }),
    }),
  ],
  providers: [TrafficMeter],
  exports: [TrafficMeter],
})
export class MetricsModule {}
