import type { Clock } from '../clock';

export class ReviewTimeoutError extends Error {
  override readonly name = 'ReviewTimeoutError';

  constructor(timeoutMs: number) {
    super(`the webhook had no answer within ${timeoutMs} ms`);
  }
}

/** Runs work until it is done, the time is up, or nobody wants the answer; its signal fires in both latter cases, and the caller is not kept waiting. */
export async function withDeadline<T>(
  clock: Clock,
  timeoutMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const timer = clock.after(timeoutMs, () => {
    abort.abort(new ReviewTimeoutError(timeoutMs));
  });
  const signal = AbortSignal.any([abort.signal, outer]);
  let stopWaiting = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    stopWaiting = () => {
      signal.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    timer.cancel();
    stopWaiting();
  }
}
