import { ControllerManager, KubeClient } from '@elasti/operator-kit';
import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { Waker } from '../controller';
import { SparseLog } from '@elasti/operator-kit/program';
import { type OperatorConfig, operatorConfigToken } from '../operator.config';
import { buildAuthenticator } from './auth/build-authenticator';
import { WakeAuthGuard } from './auth/wake-auth.guard';
import { WakeAuthenticator } from './auth/wake-authenticator';
import { ElastiServerController } from './elasti-server.controller';
import { WakeDesk } from './wake-desk';

/**
 * Answers the resolvers' wake calls.
 *
 * Needs OperatorKitModule, the settings, an ElastiDirectory and a Waker: global ones, or those of the modules given to `forRoot`.
 */
@Module({
  controllers: [ElastiServerController],
  providers: [
    WakeAuthGuard,
    {
      provide: WakeAuthenticator,
      inject: [operatorConfigToken, KubeClient, ControllerManager],
      useFactory: ({ wakeAuth }: OperatorConfig, kube: KubeClient, { clock, logger }: ControllerManager) =>
        buildAuthenticator(wakeAuth, { kube, clock, logger }),
    },
    {
      provide: WakeDesk,
      inject: [Waker, ControllerManager],
      useFactory: (waker: Waker, { clock }: ControllerManager) => new WakeDesk(waker, clock),
    },
    {
      provide: SparseLog,
      inject: [ControllerManager],
      useFactory: ({ clock, logger }: ControllerManager) => new SparseLog(logger, clock),
    },
  ],
})
export class ElastiServerModule {
  static forRoot({ imports }: Pick<ModuleMetadata, 'imports'>): DynamicModule {
    return { module: ElastiServerModule, imports };
  }
}
