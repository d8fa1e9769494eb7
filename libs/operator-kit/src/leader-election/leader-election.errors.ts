/** Settings that would let two processes lead, or never let one. `mistakes` names every one of them. */
export class LeaderElectionConfigError extends Error {
  override readonly name = 'LeaderElectionConfigError';

  constructor(readonly mistakes: readonly string[]) {
    super(`leader election cannot work with these settings: ${mistakes.join('; ')}`);
  }
}

/** Another process may lead from now on. The only safe answer is to stop working and exit. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor(
    readonly lease: string,
    readonly why: string,
    options?: ErrorOptions,
  ) {
    super(`lost the lease ${lease}: ${why}`, options);
  }
}
