import { ControllerManager } from '@elasti/operator-kit';
import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';

/** Up once this replica knows who leads, be it itself: one that does not has never reached the Lease. */
@Injectable()
export class LeaseKnownIndicator {
  constructor(
    private readonly health: HealthIndicatorService,
    private readonly manager: ControllerManager,
  ) {}

  check<Key extends string>(key: Key): HealthIndicatorResult<Key> {
    const { isLeader, leaderIdentity } = this.manager;
    const indicator = this.health.check(key);
    return isLeader || leaderIdentity !== '' ? indicator.up() : indicator.down({ problem: 'nobody is known to lead yet' });
  }
}
