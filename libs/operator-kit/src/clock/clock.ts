/** A scheduled callback that can be taken back. */
export interface Timer {
  cancel(): void;
}

/**
 * The only source of time in the kit, so that tests decide when time passes.
 *
 * `now` is wall time and goes into objects; `monotonic` never runs backwards and is the one to measure with.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
  /** Timers never keep the process alive on their own. */
  after(delayMs: number, callback: () => void): Timer;
}

class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  }
}

export const systemClock: Clock = new SystemClock();

/** Resolves after `delayMs`; rejects with the signal's reason, leaving no timer behind, when it is aborted first. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);

    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
