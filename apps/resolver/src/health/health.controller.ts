import { type Probe, ProbeJournal, resultOf } from '@elasti/operator-kit/program';
import { Controller, Get, Header } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService, type HealthIndicatorFunction } from '@nestjs/terminus';
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
    return this.probe('healthz', []);
  }

  @Get('readyz')
  @Header('Cache-Control', 'no-store')
  readyz(): Promise<HealthCheckResult> {
    return this.probe('readyz', this.readiness.all());
  }

  private async probe(probe: Probe, indicators: HealthIndicatorFunction[]): Promise<HealthCheckResult> {
    try {
      const result = await this.health.check(indicators);
      this.journal.passes(probe);
      return result;
    } catch (error) {
      const result = resultOf(error);
      if (!result) throw error;
      // A process that stops in order is alive.
      if (probe === 'healthz' && result.status === 'shutting_down') return result;
      this.journal.fails(probe, result);
      throw error;
    }
  }
}
