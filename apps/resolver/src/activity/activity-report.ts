import type { ActivityReply, ServiceActivity } from '@elasti/api';
import type { Clock } from '@elasti/operator-kit';
import type { ServiceRef } from '../directory';
import type { HoldingGate, SeenActivity } from '../gate';

/** Answers `GET /activity` and `GET /queue-status`: what this resolver has seen of each Service. */
export class ActivityReport {
  constructor(
    private readonly gate: Pick<HoldingGate, 'activity' | 'activityOf'>,
    private readonly clock: Clock,
  ) {}

  all(): ActivityReply {
    return { services: this.gate.activity().map((seen) => this.describe(seen)) };
  }

  /** Empty when nothing was seen of it. */
  one(service: ServiceRef): ActivityReply {
    const seen = this.gate.activityOf(service);
    return { services: seen ? [this.describe(seen)] : [] };
  }

  /** 1 while requests are held for the Service. */
  queueStatus(service: ServiceRef): { readonly queueStatus: 0 | 1 } {
    return { queueStatus: (this.gate.activityOf(service)?.held ?? 0) > 0 ? 1 : 0 };
  }

  private describe({ namespace, service, open, lastRequestMs }: SeenActivity): ServiceActivity {
    const lastRequestAgoMs = lastRequestMs === undefined ? undefined : Math.max(0, Math.round(this.clock.monotonic() - lastRequestMs));
    return { namespace, service, open, ...(lastRequestAgoMs !== undefined && { lastRequestAgoMs }) };
  }
}
