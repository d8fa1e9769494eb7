/** Why a wake call was not, or is no longer, waited for. Nothing of the target is known by it. */
export type NoWait = 'busy' | 'stopping' | 'timeout';

export class WakeNotAwaitedError extends Error {
  override readonly name = 'WakeNotAwaitedError';

  constructor(readonly why: NoWait) {
    super(`the wake is not waited for: ${why}`);
  }
}
