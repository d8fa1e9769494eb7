/** The part of `process` that shutdown needs. */
export interface SignalSource {
  on(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  off(event: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Runs until the first SIGTERM or SIGINT fires the signal; the second exits at once.
 *
 * Keeps the process alive meanwhile (timers and idle candidates do not) and leaves no handler behind.
 */
export async function runUntilSignal(source: SignalSource, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const onSignal = () => (stop.signal.aborted ? source.exit(1) : stop.abort());
  source.on('SIGTERM', onSignal);
  source.on('SIGINT', onSignal);
  const keepAlive = setInterval(() => undefined, 0x7fffffff);

  try {
    await run(stop.signal);
  } finally {
    clearInterval(keepAlive);
    source.off('SIGTERM', onSignal);
    source.off('SIGINT', onSignal);
  }
}
