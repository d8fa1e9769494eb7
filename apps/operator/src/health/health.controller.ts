import { CachesHealthIndicator, LeaderHealthIndicator } from '@elasti/operator-kit/nest';
import { Controller, Get, Header } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService } from '@nestjs/terminus';
import { LeaseKnownIndicator } from './lease.indicator';
import { ProbeJournal } from '@elasti/operator-kit/program';

/**
 * What kubelets ask.
 *
 * `healthz` fails when only a restart helps: the lease is held in this process's name but overdue. `readyz` fails while this replica cannot
 * answer for the cluster: caches not filled or not current, nobody known to lead, stopping. An API server that is gone fails `readyz` alone.
 */
@Controller()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly caches: CachesHealthIndicator,
    private readonly leader: LeaderHealthIndicator,
    private readonly lease: LeaseKnownIndicator,
    private readonly journal: ProbeJournal,
  ) {}

  @Get('healthz')
  @Header('Cache-Control', 'no-store')
  healthz(): Promise<HealthCheckResult> {
    return this.journal.follow('healthz', () => this.health.check([() => this.leader.check('lease')]));
  }

  @Get('readyz')
  @Header('Cache-Control', 'no-store')
  readyz(): Promise<HealthCheckResult> {
    return this.journal.follow('readyz', () =>
      this.health.check([() => this.caches.check('caches'), () => this.lease.check('leader'), () => this.leader.check('lease')]),
    );
  }
}
