import { ControllerManager, SharedCache } from '@elasti/operator-kit';
import { Global, Module } from '@nestjs/common';
import { CountedCaches, InformerMetrics } from '../metrics';
import { type OperatorConfig, operatorConfigToken } from '../operator.config';
import { Informers } from './informers';

/** The one owner of watches, for every module. Needs OperatorKitModule, MetricsModule and the settings. */
@Global()
@Module({
  providers: [
    {
      provide: Informers,
      inject: [ControllerManager, SharedCache, InformerMetrics, operatorConfigToken],
      useFactory: (manager: ControllerManager, shared: SharedCache, metrics: InformerMetrics, config: OperatorConfig) =>
        new Informers(new CountedCaches(manager.caches, metrics), new CountedCaches(shared, metrics), config),
    },
  ],
  exports: [Informers],
})
export class InformerModule {}
