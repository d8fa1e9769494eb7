import { type Clock, type LeaderRunnable, type Logger, sleep } from '@elasti/operator-kit';
import type { ElastiDirectory } from '../crd-directory';
import type { RouteLedger } from '../routes';

const everyMs = 3_600_000;
const againMs = 60_000;

/** Frees, now and then, the resolver ports of Services whose ElastiService went while no operator was there to see it. */
export class RouteSweep implements LeaderRunnable {
  readonly name = 'route-sweep';

  constructor(
    private readonly ledger: Pick<RouteLedger, 'releaseUnclaimed'>,
    private readonly directory: ElastiDirectory,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  warmUp(): Promise<void> {
    return Promise.resolve();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = await this.sweep(signal);
      await sleep(this.clock, waitMs, signal).catch(() => undefined);
    }
  }

  private async sweep(signal: AbortSignal): Promise<number> {
    try {
      await this.ledger.releaseUnclaimed((namespace, service) => this.directory.forService(namespace, service) !== undefined, signal);
      return everyMs;
    } catch (error) {
      if (!signal.aborted) this.logger.warn('unclaimed routes could not be freed', { error });
      return againMs;
    }
  }
}
