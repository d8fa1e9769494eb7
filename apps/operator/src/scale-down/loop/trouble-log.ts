import type { ElastiService } from '@elasti/api';
import type { Frozen, Logger } from '@elasti/operator-kit';
import { identityOf } from '../identity';

/** What a round can fail at; the words of the log. */
export type Trouble =
  | 'a service could not be judged'
  | 'a service could not be woken'
  | 'a busy service could not be stamped'
  | 'the account of a dry run could not be written';

/** Tells of trouble that every round meets again just once, until it changes or is over. */
export class TroubleLog {
  private readonly known = new Map<string, Map<Trouble, string>>();

  constructor(private readonly logger: Logger) {}

  failed(elastiService: Frozen<ElastiService>, trouble: Trouble, error: unknown): void {
    const troubles = this.known.get(identityOf(elastiService)) ?? new Map<Trouble, string>();
    this.known.set(identityOf(elastiService), troubles);
    const words = String(error);
    if (troubles.get(trouble) === words) return;
    troubles.set(trouble, words);
    const { namespace, name } = elastiService.metadata;
    this.logger.warn(trouble, { namespace, name, error });
  }

  succeeded(elastiService: Frozen<ElastiService>, trouble: Trouble): void {
    this.known.get(identityOf(elastiService))?.delete(trouble);
  }

  /** Forgets all others. */
  keepOnly(identities: ReadonlySet<string>): void {
    for (const identity of this.known.keys()) if (!identities.has(identity)) this.known.delete(identity);
  }
}
