import type { ActivityReply, ServiceActivity } from '@elasti/api';
import type { Clock } from '@elasti/operator-kit';
import type { ServiceRef } from '../directory';
import type { HoldingGate, SeenActivity } from '../gate';

/**
 * Answers `GET /activity` and `GET /queue-status`: what this resolver has seen of each Service since this report was made.
 *
 * Made together with the gate and before the first port listens, so that nothing comes uncounted.
 */
export class ActivityReport {
  private readonly countingSinceMs: number;

  constructor(
    private readonly gate: Pick<HoldingGate, 'activity' | 'activityOf'>,
    private readonly clock: Clock,
  ) {
    this.countingSinceMs = clock.monotonic();
  }

  all(): ActivityReply {
    return { services: this.gate.activity().map((seen) => this.describe(seen)), countedForMs: this.countedForMs };
  }

  /** Empty when nothing was seen of it. */
  one(service: ServiceRef): ActivityReply {
    const seen = this.gate.activityOf(service);
    return { services: seen ? [this.describe(seen)] : [], countedForMs: this.countedForMs };
  }

  /** 1 while requests are held for the Service. */
  queueStatus(service: ServiceRef): { readonly queueStatus: 0 | 1 } {
    return { queueStatus: (this.gate.activityOf(service)?.held ?? 0) > 0 ? 1 : 0 };
  }

  /** Rounded down: it must not vouch for a moment that it did not see. */
  private get countedForMs(): number {
    return Math.floor(this.clock.monotonic() - this.countingSinceMs);
  }

  private describe({ namespace, service, open, lastRequestMs }: SeenActivity): ServiceActivity {
    const lastRequestAgoMs = lastRequestMs === undefined ? undefined : Math.max(0, Math.round(this.clock.monotonic() - lastRequestMs));
    return { namespace, service, open, ...(lastRequestAgoMs !== undefined && { lastRequestAgoMs }) };
  }
}
