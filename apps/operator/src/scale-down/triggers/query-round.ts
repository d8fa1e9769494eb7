import type { InstantQuery, PrometheusClient } from './prometheus-client';
import type { PrometheusTrigger } from './prometheus-trigger';
import { ServerLane } from './server-lane';
import type { TriggerOutcome } from './trigger-outcome';

export interface QueryRoundOptions {
  /** The time all queries of the round ask about. */
  readonly nowMs: number;
  /** Queries that are open at one server at the same time. */
  readonly maxPerServer: number;
  /** Ends the round; what is still open then rejects with its reason. */
  readonly signal: AbortSignal;
}

/**
 * The Prometheus queries of one polling round. Make a new one for each.
 *
 * Queries that are the same are asked once; that includes the health of a server, which many triggers share. Servers do not wait for each other.
 */
export class QueryRound {
  private readonly lanes = new Map<string, ServerLane>();
  private readonly answers = new Map<string, Promise<number>>();

  constructor(
    private readonly client: Pick<PrometheusClient, 'ask'>,
    private readonly options: QueryRoundOptions,
  ) {}

  /** Rejects only when the round is aborted. */
  evaluate(trigger: PrometheusTrigger): Promise<TriggerOutcome> {
    return trigger.evaluate((query) => this.ask(query));
  }

  private ask(query: InstantQuery): Promise<number> {
    const key = identityOf(query);
    let answer = this.answers.get(key);
    if (!answer) this.answers.set(key, (answer = this.askOnce(query)));
    return answer;
  }

  private askOnce(query: InstantQuery): Promise<number> {
    const { nowMs, signal } = this.options;
    return this.laneOf(query).run(() => this.client.ask(query, nowMs, signal));
  }

  private laneOf({ server: { origin, host } }: InstantQuery): ServerLane {
    let lane = this.lanes.get(origin);
    if (!lane) this.lanes.set(origin, (lane = new ServerLane(this.options.maxPerServer, host)));
    return lane;
  }
}

function identityOf({ server: { origin, basePath }, query, headers }: InstantQuery): string {
  const sorted = Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([origin, basePath, query, sorted]);
}
