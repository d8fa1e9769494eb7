import { formatRef, longestRetryAfterMs, retryAfterMs } from '../client';
import type { KubeObject, ObjectRef } from '../client';
import { withTimeout } from '../clock';
import type { Logger } from '../logging';
import { priorities, RateLimiter, WorkQueue } from '../queue';
import type { RateLimiterOptions, TakenKey } from '../queue';
import { ControllerCaches } from './controller-caches';
import type { WatchedKind } from './controller-caches';
import type { ControllerHost, LeaderRunnable } from './controller-host';
import { AlreadyStartedError, SyncTimeoutError } from './controller.errors';
import { ReconcileAttempt } from './reconcile-attempt';
import type { AttemptSettings } from './reconcile-attempt';
import type { Verdict } from './verdict';

/** So many conflicts in a row are no coincidence, and somebody should hear of it. */
const quietConflicts = 5;

export type BackoffOptions = Pick<RateLimiterOptions<ObjectRef>, 'baseMs' | 'capMs' | 'jitter' | 'random'>;

export interface ControllerSettings<T extends KubeObject> extends AttemptSettings<T> {
  readonly kinds: readonly WatchedKind[];
  readonly concurrency: number;
  readonly syncTimeoutMs: number;
  readonly backoff: BackoffOptions;
}

/**
 * Reconciles the objects of one kind, each by one worker at a time, whenever something about it changed.
 *
 * Nothing is reconciled before every cache is filled and `run` is called. Whatever a reconciler throws is recovered, counted,
 * logged once and tried again as its kind of error asks for. Lives once: `warmUp`, `run`, stop.
 */
export class Controller<T extends KubeObject = KubeObject> implements LeaderRunnable {
  readonly name: string;
  private readonly logger: Logger;
  private readonly queue: WorkQueue<ObjectRef>;
  private readonly limiter: RateLimiter<ObjectRef>;
  private readonly caches: ControllerCaches;
  private readonly attempt: ReconcileAttempt<T>;
  private warm: Promise<void> | undefined;
  private state: 'idle' | 'running' | 'stopped' = 'idle';

  constructor(
    private readonly settings: ControllerSettings<T>,
    private readonly host: ControllerHost,
  ) {
    const { name, backoff, kinds } = settings;
    this.name = name;
    this.logger = host.logger.with({ controller: name });
    this.queue = new WorkQueue({ name, clock: host.clock, metrics: host.metrics, keyOf: formatRef });
    this.limiter = new RateLimiter({ ...backoff, keyOf: formatRef });
    this.caches = new ControllerCaches(name, kinds);
    this.attempt = new ReconcileAttempt(settings, host, (resource) => this.caches.lister(resource), this.logger);
  }

  /** For what no watch can tell. Nothing happens when no such object is cached. */
  enqueue(ref: ObjectRef, priority: number = priorities.normal): void {
    this.queue.add(ref, { priority });
  }

  /** As `enqueue`, for what can wait so long; whatever else is news of the object meanwhile comes first. */
  enqueueAfter(ref: ObjectRef, delayMs: number): void {
    this.queue.addAfter(ref, delayMs);
  }

  async warmUp(signal: AbortSignal): Promise<void> {
    if (this.warm || this.state !== 'idle') throw new AlreadyStartedError(this.name);
    this.warm = this.fill(signal);
    await this.warm;
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.state !== 'idle') throw new AlreadyStartedError(this.name);
    this.state = 'running';
    const stop = () => this.queue.shutDown();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await (this.warm ??= this.fill(signal));
      if (signal.aborted) stop();
      await Promise.all(Array.from({ length: this.settings.concurrency }, () => this.work(signal)));
    } finally {
      signal.removeEventListener('abort', stop);
      this.close();
    }
  }

  private async fill(signal: AbortSignal): Promise<void> {
    const { syncTimeoutMs: timeoutMs } = this.settings;
    const reason = () => new SyncTimeoutError(this.name, this.caches.unsynced, timeoutMs);
    try {
      await withTimeout({ clock: this.host.clock, timeoutMs, signal, reason }, async (giveUp) => {
        this.openCaches();
        await this.caches.synced(giveUp);
      });
    } catch (error) {
      this.close();
      throw error;
    }
    this.closeUnlessRunning(signal);
  }

  private openCaches(): void {
    this.caches.open(this.host.caches, {
      cache: (resource) => this.caches.lister(resource),
      logger: this.logger,
      enqueue: (ref, priority) => this.enqueue(ref, priority),
    });
  }

  /** A replica that never came to lead has caches to give back, too. */
  private closeUnlessRunning(signal: AbortSignal): void {
    const onStop = () => {
      if (this.state === 'idle') this.close();
    };
    signal.addEventListener('abort', onStop, { once: true });
  }

  private close(): void {
    this.state = 'stopped';
    this.queue.shutDown();
    this.caches.close();
  }

  private async work(stop: AbortSignal): Promise<void> {
    for (let taken = await this.queue.get(); taken; taken = await this.queue.get()) {
      try {
        if (!stop.aborted) await this.process(taken, stop);
      } finally {
        this.queue.done(taken.key);
      }
    }
  }

  private async process(taken: TakenKey<ObjectRef>, stop: AbortSignal): Promise<void> {
    const { key: ref } = taken;
    const object = this.caches.lister(this.settings.definition).get(ref);
    if (!object) {
      this.limiter.forget(ref);
      return;
    }

    const { metrics, clock } = this.host;
    const labels = { controller: this.name };
    const startedMs = clock.monotonic();
    metrics.activeWorkers.inc(labels);
    const verdict = await this.attempt.run(object, stop);
    metrics.activeWorkers.dec(labels);
    metrics.reconcileSeconds.observe(labels, (clock.monotonic() - startedMs) / 1000);
    metrics.reconciles.inc({ ...labels, result: verdict.kind });
    this.settle(taken, verdict);
  }

  private settle({ key: ref, priority }: TakenKey<ObjectRef>, verdict: Verdict): void {
    const labels = { controller: this.name };
    const { metrics } = this.host;
    switch (verdict.kind) {
      case 'success':
        return this.limiter.forget(ref);
      case 'requeue':
        return this.retry(ref, 'debug', 'reconcile asked to run again', { reason: verdict.reason });
      case 'requeue_after':
      case 'waiting':
        this.limiter.forget(ref);
        this.logger.debug('reconcile comes again', { object: formatRef(ref), reason: verdict.reason, delayMs: verdict.delayMs });
        return this.queue.addAfter(ref, verdict.delayMs, { priority });
      case 'conflict':
        return this.retry(ref, this.limiter.failures(ref) < quietConflicts ? 'debug' : 'error', 'reconcile met a conflict', verdict);
      case 'terminal':
        metrics.reconcileErrors.inc(labels);
        metrics.terminalErrors.inc(labels);
        this.limiter.forget(ref);
        return this.logger.error('reconcile failed until the object changes', { object: formatRef(ref), error: verdict.error });
      case 'panic':
        metrics.reconcilePanics.inc(labels);
        metrics.reconcileErrors.inc(labels);
        return this.retry(ref, 'error', 'reconcile failed unexpectedly', verdict);
      case 'error':
        metrics.reconcileErrors.inc(labels);
        return this.retry(ref, 'error', 'reconcile failed', verdict);
      case 'cancelled':
        return this.logger.debug('reconcile was cut short by the stop', { object: formatRef(ref) });
    }
  }

  private retry(ref: ObjectRef, level: 'debug' | 'error', message: string, why: { reason?: string; error?: unknown }): void {
    const retryInMs = Math.max(this.limiter.next(ref), Math.min(retryAfterMs(why.error) ?? 0, longestRetryAfterMs));
    this.queue.retry(ref, retryInMs);
    const { reason, error } = why;
    this.logger[level](message, {
      object: formatRef(ref),
      ...(error ? { error } : { reason }),
      failures: this.limiter.failures(ref),
      retryInMs,
    });
  }
}
