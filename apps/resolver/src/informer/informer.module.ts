import { ControllerManager } from '@elasti/operator-kit';
import { Module } from '@nestjs/common';
import { ServiceDirectory } from '../directory';
import { PrivateServices, ReadyPods } from '../endpoints';
import { type ResolverConfig, resolverConfigToken } from '../resolver.config';
import { RouteTable } from '../routes';
import { Informers } from './informers';

/** The one owner of watches. Needs OperatorKitModule. */
@Module({
  providers: [
    { provide: ServiceDirectory, inject: [ControllerManager], useFactory: ({ caches }: ControllerManager) => new ServiceDirectory(caches) },
    { provide: PrivateServices, inject: [ControllerManager], useFactory: ({ caches }: ControllerManager) => new PrivateServices(caches) },
    {
      provide: ReadyPods,
      inject: [ControllerManager, PrivateServices],
      useFactory: ({ caches }: ControllerManager, services: PrivateServices) => new ReadyPods(caches, services),
    },
    {
      provide: RouteTable,
      inject: [ControllerManager, resolverConfigToken],
      useFactory: ({ caches, logger }: ControllerManager, { operatorNamespace }: ResolverConfig) =>
        new RouteTable(caches, operatorNamespace, logger),
    },
    {
      provide: Informers,
      inject: [ServiceDirectory, PrivateServices, ReadyPods, RouteTable],
      useFactory: (...rooms: ConstructorParameters<typeof Informers>) => new Informers(...rooms),
    },
  ],
  exports: [ServiceDirectory, PrivateServices, ReadyPods, RouteTable, Informers],
})
export class InformerModule {}
