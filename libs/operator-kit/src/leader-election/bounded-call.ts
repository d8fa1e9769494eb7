import type { RequestOptions } from '../client';
import type { Clock } from '../clock';

/**
 * Makes one request and settles within `limitMs` whatever the request does, even when it ignores its signal.
 * @throws the signal's reason, or an error that names the limit.
 */
export async function boundedCall<T>(
  clock: Clock,
  limitMs: number,
  request: (options: RequestOptions) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = clock.after(limitMs, () => stop.abort(new Error(`no answer within ${Math.round(limitMs)} ms`)));

  try {
    const aborted = new Promise<never>((_, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error), { once: true });
    });
    return await Promise.race([request({ signal: stop.signal, timeoutMs: Math.max(1, limitMs) }), aborted]);
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
