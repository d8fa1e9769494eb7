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

/** Node fires a timer of more than 2^31 ms at once, so a longer delay, or an endless one, is waited for in steps. */
const longestTimerMs = 24 * 60 * 60 * 1000;

class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  after(delayMs: number, callback: () => void): Timer {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number) => {
      timer = leftMs > longestTimerMs ? setTimeout(() => wait(leftMs - longestTimerMs), longestTimerMs) : setTimeout(callback, leftMs);
      timer.unref();
    };
    wait(delayMs);
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
