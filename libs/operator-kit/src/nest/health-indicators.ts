import { Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { ControllerManager } from '../manager';

/** Up while every cache in use is filled and kept current: what readiness should depend on. */
@Injectable()
export class CachesHealthIndicator {
  constructor(
    private readonly health: HealthIndicatorService,
    private readonly manager: ControllerManager,
  ) {}

  check<Key extends string>(key: Key): HealthIndicatorResult<Key> {
    const { unsynced, stale } = this.manager.cacheTrouble;
    const indicator = this.health.check(key);
    return unsynced.length === 0 && stale.length === 0 ? indicator.up() : indicator.down({ unsynced, stale });
  }
}

/** Down only when the process holds a lease it has failed to renew in time. A replica that waits for its turn is up. */
@Injectable()
export class LeaderHealthIndicator {
  constructor(
    private readonly health: HealthIndicatorService,
    private readonly manager: ControllerManager,
  ) {}

  check<Key extends string>(key: Key): HealthIndicatorResult<Key> {
    const { isLeader, isLeaseOverdue } = this.manager;
    const indicator = this.health.check(key);
    return isLeaseOverdue ? indicator.down({ isLeader: false }) : indicator.up({ isLeader });
  }
}
