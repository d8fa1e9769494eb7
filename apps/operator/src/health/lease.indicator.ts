import { ControllerManager } from '@elasti/operator-kit';
import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

/**
 * Up once this replica has known who leads, be it itself: one that has not has never reached the Lease.
 *
 * Stays up while the lead changes hands, or every replica would be unready between two leaders.
 */
@Injectable()
export class LeaseKnownIndicator {
  private state: 'unknown' | 'known' = 'unknown';

  constructor(
    private readonly health: HealthIndicatorService,
    private readonly manager: ControllerManager,
  ) {}

  check<Key extends string>(key: Key): HealthIndicatorResult<Key> {
    const { isLeader, leaderIdentity } = this.manager;
    if (isLeader || leaderIdentity !== '') this.state = 'known';
    const indicator = this.health.check(key);
    return this.state === 'known' ? indicator.up() : indicator.down({ problem: 'nobody is known to lead yet' });
  }
}
