import type { Clock } from './clock';

/** Settles as the promise does, or rejects with the signal's reason, whichever comes first; whatever comes of the promise later is ignored. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

export interface TimeoutOptions {
  clock: Clock;
  timeoutMs: number;
  /** Why the work's signal fires at the timeout; asked for only then. */
  reason: () => Error;
  /** Ends the work as well. */
  signal?: AbortSignal;
}

/**
 * Runs work with a signal that fires at the timeout or with the outer one, and leaves neither a timer nor a listener behind.
 *
 * Settles as the work does, which must heed its signal: put `untilAborted` around work that may not. Work is not begun when the outer signal has fired already.
 */
export async function withTimeout<T>(
  { clock, timeoutMs, reason, signal }: TimeoutOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const abort = new AbortController();
  const onAbort = () => abort.abort(signal?.reason);
  const timer = clock.after(timeoutMs, () => abort.abort(reason()));
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(abort.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
