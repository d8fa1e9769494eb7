import { ProbeJournal } from '@elasti/operator-kit/program';
import { Controller, Get, Header } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { ReadinessIndicators } from './readiness.indicators';

/**
 * What kubelets ask.
 *
 * `healthz` answers for as long as the process does. `readyz` fails until everything is known and the ports are open, and from the moment it drains.
 */
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly readiness: ReadinessIndicators,
    private readonly journal: ProbeJournal,
  ) {}

  @Get('healthz')
  @Header('Cache-Control', 'no-store')
  healthz(): Promise<HealthCheckResult> {
    return this.journal.follow('healthz', () => this.health.check([]));
  }

  @Get('readyz')
  @Header('Cache-Control', 'no-store')
  readyz(): Promise<HealthCheckResult> {
    return this.journal.follow('readyz', () => this.health.check(this.readiness.all()));
  }
}
