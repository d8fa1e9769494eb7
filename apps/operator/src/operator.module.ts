import { OperatorKitModule, type OperatorKitModuleOptions } from '@elasti/operator-kit/nest';
import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ControllerModule } from './controller';
import { ElastiServerModule } from './elasti-server';
import { HealthModule } from './health';
import { HttpModule } from './http';
import { InformerModule } from './informer';
import { MetricsModule } from './metrics';
import { leaseName } from './names';
import { type OperatorConfig, operatorConfigToken } from './operator.config';
import { ScaleDownModule } from './scale-down';

/** Everything together: what is started stops within this time, so that a rollout of the operator is quick. */
const gracePeriodMs = 8_000;

@Global()
@Module({})
class SettingsModule {
  static of(config: OperatorConfig): DynamicModule {
    return { module: SettingsModule, providers: [{ provide: operatorConfigToken, useValue: config }], exports: [operatorConfigToken] };
  }
}

/** The operator: one leader reconciles and looks for idle services, every replica answers wakes, probes and metrics. */
@Module({ imports: [HttpModule, MetricsModule, InformerModule, HealthModule, ControllerModule] })
export class OperatorModule {
  static forRoot(config: OperatorConfig, kit: Omit<OperatorKitModuleOptions, 'name'> = {}): DynamicModule {
    return {
      module: OperatorModule,
      imports: [
        SettingsModule.of(config),
        OperatorKitModule.forRoot({
          name: 'elasti-operator',
          leaderElection: { namespace: config.operator.namespace, name: leaseName },
          watchNamespaces: config.watchNamespaces,
          gracePeriodMs,
          ...kit,
        }),
        ElastiServerModule.forRoot({ imports: [ControllerModule] }),
        ScaleDownModule.importing(ControllerModule),
      ],
    };
  }
}
