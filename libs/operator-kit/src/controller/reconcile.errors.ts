/** Nothing failed, but something is not there yet: the object is reconciled again after the delay, as with `requeueAfter`. */
export class WaitingError extends Error {
  override readonly name = 'WaitingError';

  constructor(
    readonly reason: string,
    readonly delayMs: number,
    options?: ErrorOptions,
  ) {
    super(`waiting ${delayMs} ms: ${reason}`, options);
  }
}

/** Trying again cannot help: the object is not reconciled before something about it changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** The reason a reconcile's signal fired at its timeout. */
export class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';

  constructor(
    readonly controller: string,
    readonly timeoutMs: number,
  ) {
    super(`a reconcile of ${controller} took longer than ${timeoutMs} ms: pass the context's signal on, or raise withReconcileTimeout()`);
  }
}
