import { Module } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { register } from 'prom-client';
import { ServiceDirectory } from '../directory';
import { TurnClock } from '../gate';
import { InformerModule } from '../informer';
import { TrafficMeter } from './traffic-meter';

/**
 * Serves /metrics from prom-client's default registry, where the kit's metrics are as well, and provides what the hot path reports to.
 *
 * One in a process: the registry is one.
 */
@Module({
  imports: [
    InformerModule,
    PrometheusModule.registerAsync({
      // The registry outlives the module where a process starts several applications, as tests do.
      useFactory: () => ({ defaultMetrics: { enabled: register.getSingleMetric('process_cpu_user_seconds_total') === undefined } }),
    }),
  ],
  providers: [
    {
      provide: TrafficMeter,
      inject: [ServiceDirectory, TurnClock],
      useFactory: (directory: ServiceDirectory, clock: TurnClock) => new TrafficMeter(directory, clock),
    },
  ],
  exports: [TrafficMeter],
})
export class MetricsModule {}
