import type { Frozen } from '../cache';
import { formatRef, refOf } from '../client';
import type { KubeObject, ResourceDefinition } from '../client';
import { withTimeout } from '../clock';
import { Finalizer } from '../finalizer';
import type { CleanupOutcome } from '../finalizer';
import type { Logger } from '../logging';
import type { ControllerHost } from './controller-host';
import type { CacheLookup } from './mappers';
import { ReconcileTimeoutError } from './reconcile.errors';
import { done, requeue } from './reconciler';
import type { ReconcileContext, Reconciler, ReconcileResult } from './reconciler';
import { verdictOnError, verdictOnResult } from './verdict';
import type { Verdict } from './verdict';

export interface AttemptSettings<T extends KubeObject> {
  readonly name: string;
  readonly definition: ResourceDefinition<T>;
  readonly reconciler: Reconciler<T>;
  readonly finalizerName: string | undefined;
  readonly reconcileTimeoutMs: number;
}

/**
 * Runs a reconciler on one object: finalizer, context, timeout, and whatever it throws turned into a verdict.
 *
 * Never rejects. Resolves only when the reconciler really returned, also after its timeout, so that its key stays taken until then.
 */
export class ReconcileAttempt<T extends KubeObject> {
  private readonly finalizer: Finalizer<T> | undefined;

  constructor(
    private readonly settings: AttemptSettings<T>,
    private readonly host: ControllerHost,
    private readonly cache: CacheLookup,
    private readonly logger: Logger,
  ) {
    const { definition, finalizerName } = settings;
    this.finalizer = finalizerName === undefined ? undefined : new Finalizer(host.client, definition, finalizerName);
  }

  async run(object: Frozen<T>, stop: AbortSignal): Promise<Verdict> {
    const { reconcileTimeoutMs: timeoutMs } = this.settings;
    const reason = () => this.timedOut(object);
    try {
      const result = await withTimeout({ clock: this.host.clock, timeoutMs, signal: stop, reason }, (signal) =>
        this.reconcile(object, this.contextFor(object, signal)),
      );
      return verdictOnResult(result);
    } catch (error) {
      return stop.aborted ? { kind: 'cancelled' } : verdictOnError(error);
    }
  }

  private async reconcile(object: Frozen<T>, context: ReconcileContext): Promise<ReconcileResult> {
    const { reconciler } = this.settings;
    if (!this.finalizer || !reconciler.finalize) return object.metadata.deletionTimestamp ? done : reconciler.reconcile(object, context);

    let cleanup: ReconcileResult = done;
    const finalize = reconciler.finalize.bind(reconciler);
    const cleanUp = async (): Promise<CleanupOutcome> => {
      cleanup = await finalize(object, context);
      // Anything but a proper `done` keeps the finalizer on; a result that is none of the three throws here.
      return verdictOnResult(cleanup).kind === 'success' ? 'cleaned' : 'pending';
    };
    const step = await this.finalizer.step(object, cleanUp, context.signal);
    switch (step.outcome) {
      case 'continue':
        return reconciler.reconcile(step.object, context);
      case 'cleanup pending':
        return cleanup.kind === 'done' ? requeue('the finalizers were changed by somebody else meanwhile') : cleanup;
      case 'deleted and cleaned':
      case 'not ours':
        return done;
    }
  }

  private contextFor(object: Frozen<T>, signal: AbortSignal): ReconcileContext {
    return {
      client: this.host.client,
      cache: this.cache,
      events: this.host.eventsFor(object),
      logger: this.loggerFor(object),
      signal,
    };
  }

  private timedOut(object: Frozen<T>): ReconcileTimeoutError {
    const { name, reconcileTimeoutMs } = this.settings;
    this.host.metrics.reconcileTimeouts.inc({ controller: name });
    this.loggerFor(object).warn('reconcile ran into its timeout', { timeoutMs: reconcileTimeoutMs });
    return new ReconcileTimeoutError(name, reconcileTimeoutMs);
  }

  private loggerFor(object: Frozen<T>): Logger {
    return this.logger.with({ object: formatRef(refOf(object)) });
  }
}
