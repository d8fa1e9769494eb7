import { untilAborted } from '../clock';
import type { LeaderRunnable } from '../controller';
import type { LeaderElector } from '../leader-election';
import type { StartStep } from './start-step';

/**
 * The leader-elected half of a manager: warms every runnable up, then runs them while this process leads, or always when there is no election.
 *
 * Reports a failure once and otherwise waits to be stopped. The lease is given back only after every runnable has ended.
 */
export class Leadership implements StartStep {
  readonly name = 'leader-elected runnables';
  private readonly standing = new AbortController();
  private readonly abandoned = new AbortController();
  private work: Promise<unknown> = Promise.resolve();
  private election: Promise<void> = Promise.resolve();
  private runsUnelected = false;

  constructor(
    private readonly runnables: readonly LeaderRunnable[],
    private readonly elector: LeaderElector | undefined,
    private readonly onFailure: (name: string, error: unknown) => void,
  ) {}

  get isLeader(): boolean {
    return this.elector?.isLeader ?? this.runsUnelected;
  }

  async start(signal: AbortSignal): Promise<void> {
    await Promise.all(this.runnables.map((runnable) => runnable.warmUp(signal)));
    signal.throwIfAborted();
    this.election = this.standForElection().catch((error: unknown) => this.onFailure('leader election', error));
  }

  async stop(graceOver: AbortSignal): Promise<void> {
    graceOver.addEventListener('abort', () => this.abandoned.abort(new Error('the grace period is over')), { once: true });
    this.standing.abort(new Error('the manager is stopping'));
    await Promise.all([this.work, this.election]);
  }

  private async standForElection(): Promise<void> {
    if (this.elector) return this.elector.run({ onStartedLeading: (signal) => this.lead(signal) }, this.standing.signal);

    this.runsUnelected = true;
    await this.lead(this.standing.signal).finally(() => (this.runsUnelected = false));
  }

  /** Rejects when a runnable outlives the grace period, so that its lease is not handed over under it. */
  private async lead(signal: AbortSignal): Promise<void> {
    this.work = Promise.all(this.runnables.map((runnable) => this.runOne(runnable, signal)));
    await untilAborted(this.work, this.abandoned.signal);
  }

  private async runOne(runnable: LeaderRunnable, signal: AbortSignal): Promise<void> {
    try {
      await runnable.run(signal);
      if (!signal.aborted) throw new Error('it ended though nobody stopped it');
    } catch (error) {
      if (error !== signal.reason) this.onFailure(runnable.name, error);
    }
  }
}
