import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ControllerManager } from '@elasti/operator-kit';
import { Informers } from '../informer';
import { OperatorMetrics } from '../metrics';
import { type OperatorConfig, operatorConfigToken } from '../operator.config';
import { ActivitySource, ResolverActivity } from './activity';
import { Rehearsals } from './rehearsals';
import { ResolverClient } from './resolver-client';
import { ResolverPods } from './resolver-pods';
import { UndiciResolverTransport } from './undici-resolver-transport';

/**
 * The resolver pods, and all that they are asked. Expects the operator kit, the informers, the metrics and the configuration to be global.
 *
 * Connections live until the application is shut down, after the manager has stopped, so that the last reconciles can still ask.
 */
@Module({
  providers: [
    {
      provide: ResolverPods,
      inject: [Informers, operatorConfigToken, ControllerManager, OperatorMetrics],
      useFactory: (informers: Informers, { resolver }: OperatorConfig, { logger }: ControllerManager, metrics: OperatorMetrics) => {
        const pods = new ResolverPods({ informers, resolver, logger });
        pods.onChange(() => metrics.resolversReady(pods.ready().length));
        return pods;
      },
    },
    {
      provide: ResolverClient,
      inject: [ResolverPods, operatorConfigToken, ControllerManager],
      useFactory: (pods: ResolverPods, { resolver }: OperatorConfig, { clock }: ControllerManager) => {
        const client = new ResolverClient(new UndiciResolverTransport(), clock, resolver.port);
        pods.onChange(() => client.keepOnly(pods.list()));
        return client;
      },
    },
    {
      provide: Rehearsals,
      inject: [ResolverClient, ResolverPods, ControllerManager],
      useFactory: (client: ResolverClient, pods: ResolverPods, { clock }: ControllerManager) => new Rehearsals(client, pods, clock),
    },
    {
      provide: ActivitySource,
      inject: [ResolverClient, ResolverPods],
      useFactory: (client: ResolverClient, pods: ResolverPods) => new ResolverActivity(client, pods),
    },
  ],
  exports: [ResolverPods, Rehearsals, ActivitySource],
})
export class ResolversModule implements OnApplicationShutdown {
  constructor(
    @Inject(ResolverPods) private readonly pods: ResolverPods,
    @Inject(ResolverClient) private readonly client: ResolverClient,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    this.pods.close();
    await this.client.close();
  }
}
