import type { ElastiService } from '@elasti/api';
import { formatRef, type Frozen, InFlightLimit, type ObjectRef, refOf, untilAborted } from '@elasti/operator-kit';
import type { IdleReport, IdleReports, Waker } from '../../controller';
import type { DryRunLedger } from '../dry-run';
import { identityOf } from '../identity';
import { type Objection, observationOf } from './agreement';
import type { Judgement, RoundContext } from './idle-judge';
import type { Trouble, TroubleLog } from './trouble-log';

/** A judgement, and what others on the same target have to say against a sleep. */
export interface AgreedJudgement extends Judgement {
  readonly objection?: Objection;
}

/** Enough to wake many services in one round, and few enough to leave the API server to others. */
const maxAtOnce = 16;

/**
 * Does what a judgement asks for: reports it to whoever puts services to sleep, wakes, stamps, and keeps the account of dry runs.
 *
 * Whatever fails for one service touches no other and is tried again in the next round, since it is asked for again then.
 */
export class IdleEffects {
  private readonly limit = new InFlightLimit(maxAtOnce);
  private readonly reported = new Map<string, { readonly ref: ObjectRef; readonly identity: string }>();

  constructor(
    private readonly reports: IdleReports,
    private readonly waker: Waker,
    private readonly ledger: DryRunLedger,
    private readonly troubles: TroubleLog,
  ) {}

  async carryOut(elastiService: Frozen<ElastiService>, judgement: AgreedJudgement, round: RoundContext): Promise<void> {
    this.report(elastiService, judgement);
    await this.keepAwake(elastiService, judgement, round);
    await this.keepAccount(elastiService, judgement, round);
  }

  /** Takes back what was reported of all others, and forgets them. */
  keepOnly(identities: ReadonlySet<string>): void {
    for (const [key, { ref, identity }] of this.reported) {
      if (identities.has(identity)) continue;
      this.reported.delete(key);
      this.reports.forget(ref);
    }
    this.ledger.keepOnly(identities);
    this.troubles.keepOnly(identities);
  }

  private report(elastiService: Frozen<ElastiService>, { decision, objection, silenceMs, triggers }: AgreedJudgement): void {
    const wants = decision.action === 'sleep' && !objection ? 'sleep' : 'stay';
    const reason = objection?.reason ?? decision.reason;
    const report: IdleReport = { wants, reason, silenceMs, triggers };
    const ref = refOf(elastiService);
    this.reported.set(formatRef(ref), { ref, identity: identityOf(elastiService) });
    this.reports.put(ref, report);
  }

  /** A wake stamps by itself. */
  private async keepAwake(elastiService: Frozen<ElastiService>, { decision }: Judgement, { signal }: RoundContext): Promise<void> {
    const { action, stamp, reason } = decision;
    if (action === 'wake') {
      await this.attempt(elastiService, 'a service could not be woken', signal, () => this.waker.wake(elastiService, reason, signal));
    } else if (stamp) {
      await this.attempt(elastiService, 'a busy service could not be stamped', signal, () => this.waker.stampBusy(elastiService, signal));
    }
  }

  private async keepAccount(
    elastiService: Frozen<ElastiService>,
    { decision, objection }: AgreedJudgement,
    { nowMs, signal }: RoundContext,
  ): Promise<void> {
    const { spec, status } = elastiService;
    if (spec.mode !== 'DryRun' && !status?.dryRun) return;
    await this.attempt(elastiService, 'the account of a dry run could not be written', signal, () =>
      spec.mode === 'DryRun'
        ? this.ledger.record(elastiService, observationOf(decision, objection), nowMs, signal)
        : this.ledger.close(elastiService, signal),
    );
  }

  private async attempt(
    elastiService: Frozen<ElastiService>,
    trouble: Trouble,
    signal: AbortSignal,
    effect: () => Promise<unknown>,
  ): Promise<void> {
    try {
      signal.throwIfAborted();
      await this.limit.run(() => untilAborted(effect(), signal), signal);
      this.troubles.succeeded(elastiService, trouble);
    } catch (error) {
      if (!signal.aborted) this.troubles.failed(elastiService, trouble, error);
    }
  }
}
