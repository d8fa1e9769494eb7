import { type Clock, untilAborted, withTimeout } from '../clock';

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
  return withTimeout({ clock, timeoutMs, signal: outer, reason: () => new ReviewTimeoutError(timeoutMs) }, (signal) =>
    untilAborted(work(signal), signal),
  );
}
