/** A setting of a schedule that cannot be understood; `field` is what to change. */
export class InvalidScheduleError extends Error {
  override readonly name = 'InvalidScheduleError';

  constructor(
    readonly field: string,
    readonly problem: string,
  ) {
    super(`${field}: ${problem}`);
  }
}
