import { cooldownSOf, type ElastiService, type Trigger, triggerTypes } from '@elasti/api';
import type { Frozen, Lister, Service } from '@elasti/operator-kit';
import { parsePrometheusMetadata, type PrometheusDefaults } from './prometheus-metadata';
import { PrometheusTrigger } from './prometheus-trigger';
import type { QueryRound } from './query-round';
import { checkTrafficIsSeen, parseTrafficWindow } from './traffic-metadata';
import { InvalidTriggerError, TriggerError, type TriggerOutcome } from './trigger-outcome';

/** What all triggers of one service say in one round. */
export interface TriggerReadings {
  /** One for each trigger, in the order of the spec. */
  readonly outcomes: readonly TriggerOutcome[];
  /** How long the resolvers must have seen nothing before it sleeps; 0 when no trigger asks for that. */
  readonly silenceMs: number;
}

interface Reading {
  readonly outcome: TriggerOutcome;
  readonly silenceMs: number;
}

/**
 * Asks the triggers of ElastiServices.
 *
 * A trigger that cannot be understood or asked is an outcome, too, and never idle. A traffic trigger counts as idle here and asks for silence instead:
 * only whoever puts the service to sleep can have the resolvers look.
 */
export class TriggerReader {
  constructor(
    private readonly services: Pick<Lister<Service>, 'get'>,
    private readonly defaults: PrometheusDefaults,
  ) {}

  /** Rejects only when the round is aborted. */
  async read(elastiService: Frozen<ElastiService>, round: Pick<QueryRound, 'evaluate'>): Promise<TriggerReadings> {
    const { triggers = [] } = elastiService.spec;
    const readings = await Promise.all(triggers.map((trigger, index) => this.readOne(trigger, `triggers[${index}]`, elastiService, round)));
    return {
      outcomes: readings.map(({ outcome }) => outcome),
      silenceMs: Math.max(0, ...readings.map(({ silenceMs }) => silenceMs)),
    };
  }

  private async readOne(
    trigger: Frozen<Trigger>,
    field: string,
    elastiService: Frozen<ElastiService>,
    round: Pick<QueryRound, 'evaluate'>,
  ): Promise<Reading> {
    try {
      switch (trigger.type) {
        case 'prometheus':
          return { outcome: await round.evaluate(this.prometheusTrigger(trigger, field, elastiService)), silenceMs: 0 };
        case 'traffic':
          return { outcome: 'idle', silenceMs: this.silenceMsOf(trigger, field, elastiService) };
        default:
          throw new InvalidTriggerError(`${field}.type`, `must be one of ${triggerTypes.join(', ')}`);
      }
    } catch (error) {
      if (error instanceof TriggerError) return { outcome: { error }, silenceMs: 0 };
      throw error;
    }
  }

  private prometheusTrigger({ metadata }: Frozen<Trigger>, field: string, { spec }: Frozen<ElastiService>): PrometheusTrigger {
    return new PrometheusTrigger(parsePrometheusMetadata(metadata, this.defaults, `${field}.metadata`), cooldownSOf(spec));
  }

  private silenceMsOf({ metadata: settings }: Frozen<Trigger>, field: string, { metadata, spec }: Frozen<ElastiService>): number {
    const silenceMs = parseTrafficWindow(settings, cooldownSOf(spec), `${field}.metadata`);
    if (spec.mode === 'DryRun') {
      // Otherwise it would claim that the service never had a request.
      throw new InvalidTriggerError(
        `${field}.type`,
        'traffic sees nothing in a dry run, which sends nothing to the resolvers: use prometheus',
      );
    }
    for (const name of [spec.service, ...(spec.additionalServices ?? [])]) {
      const service = this.services.get({ namespace: metadata.namespace, name });
      if (!service) throw new InvalidTriggerError(`${field}.type`, `traffic cannot see the Service ${name}, which is not there`);
      checkTrafficIsSeen(service, `${field}.type`);
    }
    return silenceMs;
  }
}
