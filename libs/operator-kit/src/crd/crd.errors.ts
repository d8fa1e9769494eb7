/** A decorated class says something that no API server would take, or that contradicts itself. Thrown while classes are being defined. */
export class InvalidSchemaError extends Error {
  override readonly name = 'InvalidSchemaError';

  constructor(
    /** The class, or the class and its field: `WebAppSpec.replicas`. */
    readonly where: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`${where}: ${problem}`, options);
  }
}
