import { ControllerManager } from '@elasti/operator-kit';
import { Injectable } from '@nestjs/common';
import { type HealthIndicatorFunction, HealthIndicatorService } from '@nestjs/terminus';
import { Drain } from '../drain';
import { TrafficPorts } from '../traffic';

/**
 * What a resolver needs before traffic may be sent to it.
 *
 * A watch that is interrupted is no reason to turn traffic away: what was known stays known, and all resolvers would be unready at the same time.
 * Neither is a route whose port cannot be opened: rehearsals keep this pod away from that one Service.
 */
@Injectable()
export class ReadinessIndicators {
  constructor(
    private readonly health: HealthIndicatorService,
    private readonly manager: ControllerManager,
    private readonly ports: TrafficPorts,
    private readonly drain: Drain,
  ) {}

  all(): HealthIndicatorFunction[] {
    return [() => this.caches(), () => this.routes(), () => this.serving()];
  }

  private caches() {
    const { unsynced } = this.manager.cacheTrouble;
    const indicator = this.health.check('caches');
    return unsynced.length === 0 ? indicator.up() : indicator.down({ unsynced });
  }

  private routes() {
    const indicator = this.health.check('routes');
    return this.ports.haveOpened ? indicator.up() : indicator.down({ problem: 'the ports are not open yet' });
  }

  private serving() {
    const indicator = this.health.check('serving');
    return this.drain.isDraining ? indicator.down({ problem: 'draining' }) : indicator.up();
  }
}
