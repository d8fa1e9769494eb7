import { once } from 'node:events';
import type { ElastiService } from '@elasti/api';
import { type Clock, type Frozen, type LeaderRunnable, type Logger, withTimeout } from '@elasti/operator-kit';
import type { ActivitySource } from '../../resolvers';
import { identityOf } from '../identity';
import { type PrometheusClient, QueryRound, TriggerError } from '../triggers';
import { IdleRound, type IdleRoundParts, isJudged, RoundOverrunError } from './idle-round';
import type { Pressure } from './pressure';
import { RoundActivity } from './round-activity';
import type { Ticker } from './ticker';

export interface IdleLoopParts extends IdleRoundParts {
  readonly prometheus: Pick<PrometheusClient, 'ask'>;
  readonly activity: Pick<ActivitySource, 'read'>;
  readonly ticker: Ticker;
  readonly pressure: Pick<Pressure, 'isOn'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves when what it reads is all there. */
  readonly synced: (signal: AbortSignal) => Promise<unknown>;
}

export interface IdleLoopConfig {
  readonly pollingIntervalMs: number;
  readonly prometheus: { readonly maxConcurrency: number };
}

/** A query alone may take five seconds, and there are two to a trigger. */
const leastQueryTimeMs = 15_000;

/**
 * Looks in every polling interval which services are idle, busy, or outside of their period, and does what follows.
 *
 * Runs while this process leads and what it reads is all there, the first time at once. Rounds never overlap, and every round ends: servers that have not
 * answered within an interval count as failed for this round, so a slow one never holds up the next round of the others. One that was due while another ran
 * begins as soon as that has ended: a server that takes a whole interval does not halve how often the others are asked.
 */
export class IdleLoop implements LeaderRunnable {
  readonly name = 'idle loop';
  private readonly queryTimeMs: number;

  constructor(
    private readonly parts: IdleLoopParts,
    private readonly config: IdleLoopConfig,
  ) {
    this.queryTimeMs = Math.max(config.pollingIntervalMs, leastQueryTimeMs);
  }

  async warmUp(signal: AbortSignal): Promise<void> {
    await this.parts.synced(signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    let round: Promise<void> | undefined;
    let isDue = false;
    const begin = () => {
      isDue = round !== undefined;
      if (isDue) this.parts.logger.warn('an idle round takes longer than the polling interval');
      else round = this.attemptRound(signal).finally(end);
    };
    const end = () => {
      round = undefined;
      if (isDue && !signal.aborted) begin();
    };
    const ticking = this.parts.ticker.every(this.config.pollingIntervalMs, begin);
    begin();
    if (!signal.aborted) await once(signal, 'abort');
    ticking.cancel();
    await round;
  }

  /** @throws RoundOverrunError or the signal's reason */
  async runRound(signal: AbortSignal): Promise<void> {
    const { clock, directory } = this.parts;
    const services = directory.list().filter((elastiService) => isJudged(elastiService, directory));
    this.keepOnly(services);
    const reason = () => new RoundOverrunError();
    await withTimeout({ clock, timeoutMs: 2 * this.queryTimeMs, reason, signal }, (limited) => this.askAll(services, limited));
  }

  private async askAll(services: readonly Frozen<ElastiService>[], signal: AbortSignal): Promise<void> {
    const { clock, prometheus, activity, pressure } = this.parts;
    const { pollingIntervalMs } = this.config;
    const nowMs = clock.now();
    const { maxConcurrency: maxPerServer } = this.config.prometheus;
    const reason = () => new TriggerError('timeout', 'its server had more queries to answer than a round has time for');
    await withTimeout({ clock, timeoutMs: this.queryTimeMs, reason, signal }, (limited) => {
      const queries = new QueryRound(prometheus, { nowMs, maxPerServer, signal: limited });
      return new IdleRound(this.parts, { nowMs, queries, activity: new RoundActivity(activity, signal), signal }).run(services, {
        clock,
        overMs: pollingIntervalMs / 2,
        isPressed: () => pressure.isOn,
        longestWaitMs: pollingIntervalMs / 4,
      });
    });
  }

  private async attemptRound(signal: AbortSignal): Promise<void> {
    try {
      await this.runRound(signal);
    } catch (error) {
      if (!signal.aborted) this.parts.logger.error('an idle round failed', { error });
    }
  }

  private keepOnly(services: readonly Frozen<ElastiService>[]): void {
    const identities = new Set(services.map(identityOf));
    this.parts.judge.keepOnly(identities);
    this.parts.effects.keepOnly(identities);
  }
}
