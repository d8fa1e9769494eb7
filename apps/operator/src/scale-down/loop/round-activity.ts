import type { ElastiService } from '@elasti/api';
import type { Frozen } from '@elasti/operator-kit';
import type { Activity, ActivitySnapshot, ActivitySource } from '../../resolvers';

/** What goes through the resolvers in one round: asked for when the first service needs to know, and once. */
export class RoundActivity {
  private snapshot: Promise<ActivitySnapshot> | undefined;

  constructor(
    private readonly source: Pick<ActivitySource, 'read'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Of all Services that the ElastiService stands for. Rejects only when the round is aborted. */
  async of({ metadata: { namespace = '' }, spec }: Frozen<ElastiService>): Promise<Activity> {
    const snapshot = await (this.snapshot ??= this.source.read(this.signal));
    const activities = [spec.service, ...(spec.additionalServices ?? [])].map((service) => snapshot.of(namespace, service));
    if (activities.includes('active')) return 'active';
    return activities.includes('unknown') ? 'unknown' : 'quiet';
  }
}
