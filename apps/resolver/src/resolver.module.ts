import { ControllerManager } from '@elasti/operator-kit';
import { OperatorKitModule, type OperatorKitModuleOptions } from '@elasti/operator-kit/nest';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DrainModule } from './drain';
import { TurnClock } from './gate';
import { HealthModule } from './health';
import { InformerModule } from './informer';
import { InternalServerModule } from './internal-server';
import { MetricsModule } from './metrics';
import { type ResolverConfig, resolverConfigToken } from './resolver.config';
import { TrafficModule } from './traffic';

/** For the watches to end in, after the drain. */
const gracePeriodMs = 8_000;

/** The settings, and the clock that the hot path reads. */
@Global()
@Module({})
class SettingsModule {
  static of(config: ResolverConfig): DynamicModule {
    return {
      module: SettingsModule,
      providers: [
        { provide: resolverConfigToken, useValue: config },
        { provide: TurnClock, inject: [ControllerManager], useFactory: ({ clock }: ControllerManager) => new TurnClock(clock) },
      ],
      exports: [resolverConfigToken, TurnClock],
    };
  }
}

/** The resolver: holds what comes for sleeping services, has them woken, and forwards. Every replica does the same. */
@Module({ imports: [InformerModule, MetricsModule, TrafficModule, DrainModule, HealthModule, InternalServerModule] })
export class ResolverModule {
  static forRoot(config: ResolverConfig, kit: Omit<OperatorKitModuleOptions, 'name'> = {}): DynamicModule {
    return {
      module: ResolverModule,
      imports: [
        SettingsModule.of(config),
        OperatorKitModule.forRoot({ name: 'elasti-resolver', watchNamespaces: config.watchNamespaces, gracePeriodMs, ...kit }),
      ],
    };
  }
}
