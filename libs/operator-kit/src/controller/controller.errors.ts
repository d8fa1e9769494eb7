/** The caches of these kinds did not fill in time. */
export class SyncTimeoutError extends Error {
  override readonly name = 'SyncTimeoutError';

  constructor(
    readonly controller: string,
    readonly kinds: readonly string[],
    readonly timeoutMs: number,
  ) {
    super(
      `controller ${controller}: no full list of ${kinds.join(', ')} within ${timeoutMs / 1000} s: ` +
        `check that each kind is installed and that list and watch on it are allowed, or raise withSyncTimeout()`,
    );
  }
}

export class AlreadyStartedError extends Error {
  override readonly name = 'AlreadyStartedError';

  constructor(readonly controller: string) {
    super(`controller ${controller} was started already: build a new one instead of starting it again`);
  }
}

/** Everything that is wrong with how a controller was put together. */
export class ControllerSetupError extends Error {
  override readonly name = 'ControllerSetupError';

  constructor(
    readonly controller: string,
    readonly problems: readonly string[],
  ) {
    super(`controller ${controller} cannot be built: ${problems.join('; ')}`);
  }
}
