import { ElastiService } from '@elasti/api';
import { type Frozen, type KubeWriter, refOf } from '@elasti/operator-kit';
import { fieldManager } from '../../names';
import { identityOf } from '../identity';
import { DryRunAccount, type DryRunObservation } from './dry-run-account';

interface Page {
  readonly account: DryRunAccount;
  readonly state: 'written' | 'to be written';
}

/**
 * Keeps the account of every dry run in its status, and writes there only when something begins or ends.
 *
 * Assumes to be the only one that writes `status.dryRun`, which the leader is. What could not be written is written in the next round. Goes on from the
 * status after a restart.
 */
export class DryRunLedger {
  private readonly pages = new Map<string, Page>();

  constructor(private readonly client: Pick<KubeWriter, 'patch'>) {}

  /** @throws the API server's errors */
  async record(elastiService: Frozen<ElastiService>, observation: DryRunObservation, nowMs: number, signal: AbortSignal): Promise<void> {
    const key = identityOf(elastiService);
    const page = this.pages.get(key) ?? firstPage(elastiService, nowMs);
    const account = page.account.after(observation, nowMs);
    if (account === page.account && page.state === 'written') return void this.pages.set(key, page);

    this.pages.set(key, { account, state: 'to be written' });
    const { asleepSince = null, ...status } = account.toStatus();
    await this.write(elastiService, { ...status, asleepSince }, signal);
    this.pages.set(key, { account, state: 'written' });
  }

  /** For a service that is no dry run, so that another one begins anew. @throws the API server's errors */
  async close(elastiService: Frozen<ElastiService>, signal: AbortSignal): Promise<void> {
    this.pages.delete(identityOf(elastiService));
    if (elastiService.status?.dryRun) await this.write(elastiService, null, signal);
  }

  /** Forgets all others, in memory only. */
  keepOnly(identities: ReadonlySet<string>): void {
    for (const key of this.pages.keys()) if (!identities.has(key)) this.pages.delete(key);
  }

  private async write(elastiService: Frozen<ElastiService>, dryRun: object | null, signal: AbortSignal): Promise<void> {
    // With its uid, the server refuses it for another object that has come to bear the name.
    const body = { metadata: { uid: elastiService.metadata.uid }, status: { dryRun } };
    await this.client.patch(ElastiService, refOf(elastiService), { type: 'merge', body }, { subresource: 'status', fieldManager, signal });
  }
}

function firstPage({ status }: Frozen<ElastiService>, nowMs: number): Page {
  const account = DryRunAccount.fromStatus(status?.dryRun);
  return account ? { account, state: 'written' } : { account: DryRunAccount.begin(nowMs), state: 'to be written' };
}
