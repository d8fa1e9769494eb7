/** The part of `process` that shutdown needs. */
export interface SignalSource {
  on(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Runs until the first SIGTERM or SIGINT fires the signal; the second exits at once. Leaves no handler behind.
 */
export async function runUntilSignal(source: SignalSource, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => (stop.signal.aborted ? source.exit(1) : stop.abort());
  source.on('SIGTERM', onSignal);
  source.on('SIGINT', onSignal);

  try {
    await run(stop.signal);
  } finally {
    source.off('SIGTERM', onSignal);
    source.off('SIGINT', onSignal);
  }
}

/** Timers of the clock do not keep the process alive: with the API server away it would end, silently and as if all were well. */
export function keepProcessAlive(): { release(): void } {
  const timer = setInterval(() => undefined, 0x7fffffff);
  return { release: () => clearInterval(timer) };
}
