/** Why a trigger could not tell; a closed set, fit for conditions and labels of metrics. */
export type TriggerFailure =
  | 'invalid'
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'too large'
  | 'malformed'
  | 'partial'
  | 'no sample'
  | 'several samples'
  | 'not a number'
  | 'unhealthy';

/** A trigger that could not tell whether a service is idle. The message holds no URL, header or body, so it may go into a status. */
export class TriggerError extends Error {
  override readonly name: string = 'TriggerError';

  constructor(
    readonly failure: TriggerFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A setting of a trigger that cannot be understood; `field` is what to change. */
export class InvalidTriggerError extends TriggerError {
  override readonly name = 'InvalidTriggerError';

  constructor(
    readonly field: string,
    problem: string,
  ) {
    super('invalid', `${field}: ${problem}`);
  }
}

/** What one trigger says in one poll; an error is never taken for idle. */
export type TriggerOutcome = 'idle' | 'busy' | { readonly error: TriggerError };
