import { Module } from '@nestjs/common';
import { ControllerManager, KubeClient } from '@elasti/operator-kit';
import { Informers } from '../informer';
import { type OperatorConfig, operatorConfigToken } from '../operator.config';
import { RouteLedger } from './route-ledger';
import { routesInStatuses } from './routes-in-statuses';

/** The ledger of routes. Expects the operator kit, the informers and the configuration to be global or imported beside it. */
@Module({
  providers: [
    {
      provide: RouteLedger,
      inject: [KubeClient, Informers, operatorConfigToken, ControllerManager],
      useFactory: (kube: KubeClient, informers: Informers, { operator }: OperatorConfig, { clock, logger }: ControllerManager) =>
        new RouteLedger({
          kube,
          routeShards: informers.routeShards,
          namespace: operator.namespace,
          clock,
          logger,
          rememberedRoutes: () => routesInStatuses(informers),
        }),
    },
  ],
  exports: [RouteLedger],
})
export class RoutesModule {}
