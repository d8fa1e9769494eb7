import { ControllerManager } from '@elasti/operator-kit';
import { ProbeJournal } from '@elasti/operator-kit/program';
import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { DrainModule } from '../drain';
import { TrafficModule } from '../traffic';
import { HealthController } from './health.controller';
import { ReadinessIndicators } from './readiness.indicators';

/** /healthz and /readyz. Needs OperatorKitModule. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false }), TrafficModule, DrainModule],
  controllers: [HealthController],
  providers: [
    ReadinessIndicators,
    { provide: ProbeJournal, inject: [ControllerManager], useFactory: ({ logger }: ControllerManager) => new ProbeJournal(logger) },
  ],
})
export class HealthModule {}
