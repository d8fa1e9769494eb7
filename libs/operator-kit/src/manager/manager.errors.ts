/** Something that must run for as long as the manager does, does not. The cause says why. */
export class RunnableFailedError extends Error {
  override readonly name = 'RunnableFailedError';

  constructor(
    readonly runnable: string,
    options: ErrorOptions & { cause: unknown },
  ) {
    super(`${runnable} failed: ${options.cause instanceof Error ? options.cause.message : String(options.cause)}`, options);
  }
}

/** The grace period ended before these had stopped. The process should exit: nobody waits for them any more. */
export class ShutdownTimeoutError extends Error {
  override readonly name = 'ShutdownTimeoutError';

  constructor(
    readonly stillRunning: readonly string[],
    readonly gracePeriodMs: number,
  ) {
    super(`still running after the grace period of ${gracePeriodMs} ms: ${stillRunning.join(', ')}`);
  }
}

/** The caches did not fill in time: the API server is away, or a list is refused. */
export class CacheSyncTimeoutError extends Error {
  override readonly name = 'CacheSyncTimeoutError';

  constructor(
    readonly waitingFor: readonly string[],
    readonly timeoutMs: number,
  ) {
    super(
      `no full list within ${timeoutMs} ms of: ${waitingFor.join(', ')}. ` +
        'Check that the API server can be reached, that these kinds exist there, and that the service account may list and watch them',
    );
  }
}
