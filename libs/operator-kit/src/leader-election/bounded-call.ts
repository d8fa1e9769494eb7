import type { RequestOptions } from '../client';
import { type Clock, untilAborted, withTimeout } from '../clock';

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
  const reason = () => new Error(`no answer within ${Math.round(limitMs)} ms`);
  return withTimeout({ clock, timeoutMs: limitMs, signal, reason }, (inner) =>
    untilAborted(request({ signal: inner, timeoutMs: Math.max(1, limitMs) }), inner),
  );
}
