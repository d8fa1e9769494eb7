import { ConflictError, type KubeReader, type KubeWriter, Lease, NotFoundError, type RequestOptions, formatRef } from '../client';
import { type Clock, sleep } from '../clock';
import type { Logger } from '../logging';
import type { KitMetrics } from '../metrics';
import { boundedCall } from './bounded-call';
import { type LeaderElectionConfig, type LeaderElectionOptions, jitterFactor, leaderElectionConfig } from './leader-election.config';
import { LeaseLostError } from './leader-election.errors';
import { buildLease, holdLease, holderOf, releaseLease } from './lease-record';
import { ObservedLease } from './observed-lease';

export interface LeaderCallbacks {
  /**
   * The leader's work. The signal fires at shutdown and, at once, when the lease is lost.
   * Resolving says that no worker is busy any more, and lets the lease be released; rejecting leaves the lease to run out.
   */
  onStartedLeading(signal: AbortSignal): Promise<void>;
  onStoppedLeading?(): void;
  /** Another identity, or ours, was seen to hold the lease. */
  onNewLeader?(identity: string): void;
}

export interface LeaderElectorParts {
  client: Pick<KubeReader, 'find'> & Pick<KubeWriter, 'create' | 'replace'>;
  clock: Clock;
  logger: Logger;
  metrics: KitMetrics;
  /** Between 0 and 1, for the jitter. */
  random?: () => number;
}

/**
 * Takes part in the election for one Lease, once.
 *
 * Guarantees that of all processes with distinct identities at most one is told to lead at any time: the lead is counted from the moment
 * the last successful write was sent and ends at the renew deadline, before anyone else may consider the lease expired.
 * Assumes that the processes' monotonic clocks run at about the same rate; their wall clocks may disagree.
 */
export class LeaderElector {
  readonly config: LeaderElectionConfig;
  private readonly observed: ObservedLease;
  private readonly logger: Logger;
  private callbacks: LeaderCallbacks = { onStartedLeading: () => Promise.resolve() };
  private state: 'new' | 'candidate' | 'leading' | 'ended' = 'new';
  /** The lease as we last wrote it, while nothing says that it has changed since. */
  private written?: Lease;
  private heldUntilMs = -Infinity;
  private lastFailure?: unknown;

  /** @throws LeaderElectionConfigError */
  constructor(
    options: LeaderElectionOptions,
    private readonly parts: LeaderElectorParts,
  ) {
    this.config = leaderElectionConfig(options);
    this.observed = new ObservedLease(parts.clock, this.config.leaseDurationMs);
    this.logger = parts.logger.with({ lease: formatRef(this.config), identity: this.config.identity });
    this.reportLeading(0);
  }

  /** Judged by the clock, so it is right even if this process was frozen for a while. */
  get isLeader(): boolean {
    return this.state === 'leading' && this.remainingMs > 0;
  }

  /** Who was last seen to hold the lease; empty when nobody. */
  get leaderIdentity(): string {
    return this.observed.holder;
  }

  /** True while the lease is held in our name but its renewal is overdue: the process should have stopped by now. */
  get isOverdue(): boolean {
    return this.state === 'leading' && this.remainingMs <= 0;
  }

  /**
   * Waits for the lead, runs the work, and resolves when the signal has fired and the lease is given back.
   * @throws LeaseLostError as soon as the lead is lost, without waiting for the work; whatever the work rejects with.
   */
  async run(callbacks: LeaderCallbacks, signal: AbortSignal): Promise<void> {
    if (this.state !== 'new') throw new Error('a LeaderElector runs once: make a new one to stand for election again');

    this.state = 'candidate';
    this.callbacks = callbacks;
    try {
      if (await this.acquire(signal)) await this.lead(signal);
    } finally {
      this.state = 'ended';
    }
  }

  private async acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if ((await this.tryClaim(this.config.renewDeadlineMs, signal)) === 'held') return true;
      await this.pause(this.nextAttemptMs(), signal);
    }
    return false;
  }

  private async lead(signal: AbortSignal): Promise<void> {
    const working = new AbortController();
    const workEnded = new AbortController();
    const onStop = () => working.abort(signal.reason);
    signal.addEventListener('abort', onStop, { once: true });
    this.state = 'leading';
    this.reportLeading(1);
    this.logger.info('started leading');

    const work = this.startWork(working.signal, signal).finally(() => workEnded.abort());
    work.catch(() => undefined);
    try {
      await this.keepRenewing(workEnded.signal);
    } catch (error) {
      working.abort(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', onStop);
      this.stopLeading();
    }

    await work;
    await this.release();
  }

  private async startWork(working: AbortSignal, shutdown: AbortSignal): Promise<void> {
    if (!shutdown.aborted) await this.callbacks.onStartedLeading(working);
  }

  /** Goes on until the work has ended, also during shutdown: nobody may take over while a worker is busy. */
  private async keepRenewing(workEnded: AbortSignal): Promise<void> {
    for (;;) {
      await this.pause(Math.max(0, Math.min(this.jitteredRetryMs(), this.remainingMs)), workEnded);
      if (workEnded.aborted) return;

      const outcome = this.remainingMs > 0 ? await this.tryClaim(this.remainingMs) : 'failed';
      if (outcome === 'other') throw this.lost(`${this.observed.holder} holds it now`);
      if (this.remainingMs <= 0) throw this.lost(`no renewal succeeded for ${this.config.renewDeadlineMs} ms`);
    }
  }

  private async tryClaim(limitMs: number, signal?: AbortSignal): Promise<'held' | 'other' | 'failed'> {
    const deadlineMs = this.parts.clock.monotonic() + limitMs;
    try {
      const outcome = await this.claim(deadlineMs, signal);
      this.lastFailure = undefined;
      return outcome;
    } catch (error) {
      this.written = undefined;
      if (!signal?.aborted) this.reportFailure(error);
      return 'failed';
    }
  }

  private async claim(deadlineMs: number, signal?: AbortSignal): Promise<'held' | 'other'> {
    if (this.written) {
      try {
        return await this.write(this.written, deadlineMs);
      } catch (error) {
        if (!(error instanceof ConflictError || error instanceof NotFoundError)) throw error;
      }
    }

    const lease = await this.read(deadlineMs, signal);
    if (lease) this.see(lease);
    if (lease && !this.mayTake(lease)) return 'other';
    return this.write(lease, deadlineMs);
  }

  private mayTake(lease: Lease): boolean {
    const holder = holderOf(lease);
    return holder === '' || holder === this.config.identity || this.observed.remainingMs <= 0;
  }

  /** Not ended by shutdown: a claim that nobody knows the outcome of would keep the others waiting for the whole lease. */
  private async write(lease: Lease | undefined, deadlineMs: number): Promise<'held'> {
    const { client, clock } = this.parts;
    const sentMs = clock.monotonic();
    const written = await this.call(deadlineMs, (options) =>
      lease
        ? client.replace(Lease, holdLease(lease, this.config, clock.now()), options)
        : client.create(Lease, buildLease(this.config, clock.now()), options),
    );
    this.written = written;
    this.heldUntilMs = sentMs + this.config.renewDeadlineMs;
    this.see(written);
    return 'held';
  }

  private async release(): Promise<void> {
    const deadlineMs = this.parts.clock.monotonic() + this.config.renewDeadlineMs;
    try {
      const released =
        (await this.tryRelease(this.written, deadlineMs)) || (await this.tryRelease(await this.read(deadlineMs), deadlineMs));
      if (released) this.logger.info('released the lease');
    } catch (error) {
      this.logger.warn('could not release the lease, it will run out', { error });
    }
  }

  private async tryRelease(lease: Lease | undefined, deadlineMs: number): Promise<boolean> {
    const { client, clock } = this.parts;
    if (!lease || holderOf(lease) !== this.config.identity) return false;

    try {
      await this.call(deadlineMs, (options) => client.replace(Lease, releaseLease(lease, clock.now()), options));
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }

  private read(deadlineMs: number, signal?: AbortSignal): Promise<Lease | undefined> {
    return this.call(deadlineMs, (options) => this.parts.client.find(Lease, this.config, options), signal);
  }

  private call<T>(deadlineMs: number, request: (options: RequestOptions) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const remainingMs = Math.max(0, deadlineMs - this.parts.clock.monotonic());
    const limitMs = Math.min(remainingMs, this.config.renewDeadlineMs / 2);
    return boundedCall(this.parts.clock, limitMs, request, signal);
  }

  private see(lease: Lease): void {
    const before = this.observed.holder;
    this.observed.see(lease);
    const { holder } = this.observed;
    if (holder === '' || holder === before) return;

    this.logger.info('a new leader holds the lease', { leader: holder });
    this.notify(() => this.callbacks.onNewLeader?.(holder));
  }

  private stopLeading(): void {
    this.state = 'ended';
    this.reportLeading(0);
    this.logger.info('stopped leading');
    this.notify(() => this.callbacks.onStoppedLeading?.());
  }

  /** A listener's failure must not cost the lead. */
  private notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.logger.error('a leader election callback failed', { error });
    }
  }

  private get remainingMs(): number {
    return this.heldUntilMs - this.parts.clock.monotonic();
  }

  /** A lease about to expire is looked at just then, not up to a whole retry later. */
  private nextAttemptMs(): number {
    const { remainingMs } = this.observed;
    const retryMs = this.jitteredRetryMs();
    return remainingMs > 0 ? Math.min(retryMs, remainingMs) : retryMs;
  }

  private jitteredRetryMs(): number {
    const { random = Math.random } = this.parts;
    return this.config.retryPeriodMs * (1 + random() * (jitterFactor - 1));
  }

  private async pause(delayMs: number, signal: AbortSignal): Promise<void> {
    await sleep(this.parts.clock, delayMs, signal).catch(() => undefined);
  }

  private lost(why: string): LeaseLostError {
    return new LeaseLostError(formatRef(this.config), why, { cause: this.lastFailure });
  }

  private reportLeading(value: 0 | 1): void {
    this.parts.metrics.leader.set({ name: this.config.name }, value);
  }

  /** Once for each new trouble, not at every attempt. Being beaten to a free lease is none. */
  private reportFailure(error: unknown): void {
    if (this.state === 'candidate' && error instanceof ConflictError) return;
    const isKnown = String(error) === String(this.lastFailure);
    this.lastFailure = error;
    if (!isKnown) this.logger.warn('could not take or renew the lease, trying again', { error });
  }
}
