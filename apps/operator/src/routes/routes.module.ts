import { Module } from '@nestjs/common';
import { ControllerManager, type Frozen, KubeClient } from '@elasti/operator-kit';
import type { ElastiService } from '@elasti/api';
import { Informers } from '../informer';
import { type OperatorConfig, operatorConfigToken } from '../operator.config';
import type { Route } from './route';
import { RouteLedger } from './route-ledger';

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
          rememberedPorts: () => portsInStatuses(informers.elastiServices.list()),
        }),
    },
  ],
  exports: [RouteLedger],
})
export class RoutesModule {}

function* portsInStatuses(elastiServices: readonly Frozen<ElastiService>[]): Generator<Pick<Route, 'resolverPort'>> {
  for (const { status } of elastiServices) yield* status?.routes ?? [];
}
