import type { InstantQuery } from './prometheus-client';
import type { PrometheusQuestion } from './prometheus-metadata';
import { TriggerError, type TriggerOutcome } from './trigger-outcome';

/** @throws TriggerError when there is no number to give */
export type Ask = (query: InstantQuery) => Promise<number>;

/**
 * Tells by a PromQL query whether a service is idle: its value is below the threshold.
 *
 * Prometheus must have been up for the whole cooldown, since the traffic of a time in which it was down is in no series. So that is asked first,
 * and the query only when it was.
 */
export class PrometheusTrigger {
  constructor(
    private readonly question: PrometheusQuestion,
    private readonly cooldownS: number,
  ) {}

  /** Rejects only with what is not a TriggerError, such as the reason of an abort. */
  async evaluate(ask: Ask): Promise<TriggerOutcome> {
    const { server, query, headers, threshold } = this.question;
    try {
      const uptime = await ask({ server, query: this.healthQuery(), headers });
      if (uptime !== 1) return { error: this.unhealthy() };
      return (await ask({ server, query, headers })) < threshold ? 'idle' : 'busy';
    } catch (error) {
      if (error instanceof TriggerError) return { error };
      throw error;
    }
  }

  private healthQuery(): string {
    return `min_over_time((max(up{${this.question.uptimeFilter}}) or vector(0))[${Math.ceil(this.cooldownS)}s:])`;
  }

  private unhealthy(): TriggerError {
    return new TriggerError(
      'unhealthy',
      `Prometheus at ${this.question.server.host} was not up for the whole cooldown; if it was, set uptimeFilter to what its own up series has`,
    );
  }
}
