import { ControllerManager } from '@elasti/operator-kit';
import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller';
import { LeaseKnownIndicator } from './lease.indicator';
import { ProbeJournal } from '@elasti/operator-kit/program';

/** /healthz and /readyz. Needs OperatorKitModule. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [
    LeaseKnownIndicator,
    { provide: ProbeJournal, inject: [ControllerManager], useFactory: ({ logger }: ControllerManager) => new ProbeJournal(logger) },
  ],
})
export class HealthModule {}
