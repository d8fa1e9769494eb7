import type { Clock } from '@elasti/operator-kit';
import type { Waker } from '../../controller';
import type { ResolverPods } from '../../resolvers';

/** In which the slices of thousands of services are brought up to date. */
const membershipMs = 3_000;

/** Whether this process has something to do that cannot wait: many wakes at once, or slices that are to name other resolvers. */
export class Pressure {
  private changedAtMs = -Infinity;

  constructor(
    private readonly waker: Pick<Waker, 'isRushed'>,
    resolvers: Pick<ResolverPods, 'onChange'>,
    private readonly clock: Clock,
  ) {
    resolvers.onChange(() => (this.changedAtMs = clock.monotonic()));
  }

  get isOn(): boolean {
    return this.waker.isRushed || this.clock.monotonic() - this.changedAtMs < membershipMs;
  }
}
