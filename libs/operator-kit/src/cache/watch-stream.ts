import type { KubeObject, KubeReader, ResourceDefinition, WatchEvent, WatchOptions } from '../client';
import type { Clock, Timer } from '../clock';
import { WatchStreamError } from './watch-failure';

const shortMs = 1_000;

export interface WatchStreamOptions extends WatchOptions {
  signal: AbortSignal;
  /** Asked again whenever it would have passed, so it may grow while the stream runs. */
  idleLimitMs: () => number;
}

/**
 * One watch request, from the first byte to the last.
 *
 * Ends as the server's stream ends, and throws on what only looks healthy: a stream silent past its idle limit,
 * and one closed within a second without an event. However it ends, the request and the timer are gone.
 */
export async function* watchStream<T extends KubeObject>(
  reader: KubeReader,
  definition: ResourceDefinition<T>,
  clock: Clock,
  { signal, idleLimitMs, ...options }: WatchStreamOptions,
): AsyncGenerator<WatchEvent<T>, void> {
  signal.throwIfAborted();
  const startedMs = clock.monotonic();
  const abort = new AbortController();
  const stop = () => abort.abort(signal.reason);
  let lastHeardMs = startedMs;
  let events = 0;

  // One timer for a whole silence instead of one for every event: it looks at the time of the last event when it fires.
  const watchSilence = (delayMs: number): Timer =>
    clock.after(delayMs, () => {
      const limitMs = idleLimitMs();
      const leftMs = lastHeardMs + limitMs - clock.monotonic();
      if (leftMs > 0) timer = watchSilence(leftMs);
      else abort.abort(new WatchStreamError('idle', `nothing was heard on the watch for ${limitMs} ms`));
    });
  let timer = watchSilence(idleLimitMs());
  signal.addEventListener('abort', stop, { once: true });

  try {
    for await (const event of reader.watch(definition, { ...options, signal: abort.signal })) {
      events++;
      lastHeardMs = clock.monotonic();
      yield event;
    }
    abort.signal.throwIfAborted();
  } catch (error) {
    // Whatever the reader made of it, a stream that we aborted ended for our reason.
    throw abort.signal.aborted ? abort.signal.reason : error;
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  }
  if (events === 0 && clock.monotonic() - startedMs < shortMs) {
    throw new WatchStreamError('short', 'the watch was closed within a second without an event');
  }
}
