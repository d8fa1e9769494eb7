import { ControllerManager } from '@elasti/operator-kit';
import { type DynamicModule, Inject, Module, type ModuleMetadata, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { IdleReports, TargetScales, Waker } from '../controller';
import { ElastiDirectory } from '../crd-directory';
import { Informers } from '../informer';
import { type OperatorConfig, operatorConfigToken } from '../operator.config';
import { ActivitySource, ResolverPods } from '../resolvers';
import { DryRunLedger } from './dry-run';
import { IdleEffects, IdleJudge, IdleLoop, Pressure, ScheduledTicker, Ticker, TroubleLog } from './loop';
import { PrometheusClient, TriggerReader, UndiciTransport } from './triggers';

/**
 * The idle loop: finds out which services are idle, and is run by the manager on the leader.
 *
 * Needs the rooms it looks into, by `importing` or as global modules. Connections to Prometheus servers live until the application is shut down.
 */
@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [
    {
      provide: Ticker,
      inject: [SchedulerRegistry],
      useFactory: (registry: SchedulerRegistry) => new ScheduledTicker(registry),
    },
    {
      provide: UndiciTransport,
      inject: [operatorConfigToken],
      useFactory: ({ prometheus }: OperatorConfig) => new UndiciTransport({ connectionsPerServer: prometheus.maxConcurrency }),
    },
    {
      provide: PrometheusClient,
      inject: [UndiciTransport, ControllerManager],
      useFactory: (transport: UndiciTransport, { clock }: ControllerManager) => new PrometheusClient(transport, clock),
    },
    {
      provide: TriggerReader,
      inject: [Informers, operatorConfigToken],
      useFactory: ({ services }: Informers, { prometheus }: OperatorConfig) => {
        const { serverAddress, authorizationHeader: authorization, authorizedOrigins } = prometheus;
        return new TriggerReader(services, { serverAddress, authorization, authorizedOrigins });
      },
    },
    {
      provide: TroubleLog,
      inject: [ControllerManager],
      useFactory: ({ logger }: ControllerManager) => new TroubleLog(logger),
    },
    {
      provide: IdleJudge,
      inject: [TargetScales, TriggerReader],
      useFactory: (scales: TargetScales, triggers: TriggerReader) => new IdleJudge(scales, triggers),
    },
    {
      provide: IdleEffects,
      inject: [IdleReports, Waker, ControllerManager, TroubleLog],
      useFactory: (reports: IdleReports, waker: Waker, { client }: ControllerManager, troubles: TroubleLog) =>
        new IdleEffects(reports, waker, new DryRunLedger(client), troubles),
    },
    {
      provide: Pressure,
      inject: [Waker, ResolverPods, ControllerManager],
      useFactory: (waker: Waker, resolvers: ResolverPods, { clock }: ControllerManager) => new Pressure(waker, resolvers, clock),
    },
    {
      provide: IdleLoop,
      inject: [
        ControllerManager,
        ElastiDirectory,
        Informers,
        ActivitySource,
        PrometheusClient,
        IdleJudge,
        IdleEffects,
        TroubleLog,
        Ticker,
        Pressure,
        operatorConfigToken,
      ],
      useFactory: buildLoop,
    },
  ],
  exports: [IdleLoop],
})
export class ScaleDownModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(ControllerManager) private readonly manager: ControllerManager,
    @Inject(IdleLoop) private readonly loop: IdleLoop,
    @Inject(UndiciTransport) private readonly transport: UndiciTransport,
  ) {}

  /** With the modules that provide the directory, the informers, the resolvers' activity and what the controller offers, as far as they are not global. */
  static importing(...imports: NonNullable<ModuleMetadata['imports']>): DynamicModule {
    return { module: ScaleDownModule, imports };
  }

  onModuleInit(): void {
    this.manager.add(this.loop);
  }

  /** The manager has stopped by then, and the loop with it. */
  async onApplicationShutdown(): Promise<void> {
    await this.transport.close();
  }
}

function buildLoop(
  { clock, logger }: ControllerManager,
  directory: ElastiDirectory,
  { elastiServices, services }: Informers,
  activity: ActivitySource,
  prometheus: PrometheusClient,
  judge: IdleJudge,
  effects: IdleEffects,
  troubles: TroubleLog,
  ticker: Ticker,
  pressure: Pressure,
  config: OperatorConfig,
): IdleLoop {
  const synced = (signal: AbortSignal) => Promise.all([elastiServices.synced(signal), services.synced(signal)]);
  return new IdleLoop({ clock, logger, directory, activity, prometheus, judge, effects, troubles, ticker, pressure, synced }, config);
}
