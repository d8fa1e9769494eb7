import type { ElastiService } from '@elasti/api';
import { type Clock, type Frozen, type Timer, untilAborted, withTimeout } from '@elasti/operator-kit';
import type { OnModuleDestroy } from '@nestjs/common';
import type { Waker, WakeOutcome } from '../controller';
import { WakeNotAwaitedError } from './wake-desk.errors';

export interface WakeDeskLimits {
  /** Calls that may wait at once. */
  readonly maxWaiting: number;
  /** For one wake, from the call to the API server's word. */
  readonly timeoutMs: number;
  /** For the calls that wait when the application stops. */
  readonly drainMs: number;
}

const defaultLimits: WakeDeskLimits = { maxWaiting: 2_000, timeoutMs: 10_000, drainMs: 3_000 };

/**
 * Where wake calls wait: a bounded number, each for a bounded time.
 *
 * From the moment the application stops, new calls are refused, and those that wait get what is left of the drain time.
 */
export class WakeDesk implements OnModuleDestroy {
  private readonly cut = new AbortController();
  private state: 'open' | 'closing' = 'open';
  private waiting = 0;
  private drain?: Timer;

  constructor(
    private readonly waker: Pick<Waker, 'wake'>,
    private readonly clock: Clock,
    private readonly limits: WakeDeskLimits = defaultLimits,
  ) {}

  /** @throws WakeNotAwaitedError, or what the wake failed with */
  async wake(elastiService: Frozen<ElastiService>): Promise<WakeOutcome> {
    if (this.state === 'closing') throw new WakeNotAwaitedError('stopping');
    if (this.waiting >= this.limits.maxWaiting) throw new WakeNotAwaitedError('busy');

    const { clock, cut } = this;
    const { timeoutMs } = this.limits;
    this.waiting++;
    try {
      return await withTimeout({ clock, timeoutMs, signal: cut.signal, reason: () => new WakeNotAwaitedError('timeout') }, (signal) =>
        untilAborted(this.waker.wake(elastiService, 'a request came', signal), signal),
      );
    } finally {
      this.waiting--;
      if (this.waiting === 0) this.drain?.cancel();
    }
  }

  onModuleDestroy(): void {
    this.state = 'closing';
    if (this.waiting > 0) this.drain = this.clock.after(this.limits.drainMs, () => this.cut.abort(new WakeNotAwaitedError('stopping')));
  }
}
