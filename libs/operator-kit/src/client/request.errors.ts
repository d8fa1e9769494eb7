/** A request that could never succeed, refused before anything is sent; `field` is what to change. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';

  constructor(
    readonly field: string,
    problem: string,
  ) {
    super(`${field}: ${problem}`);
  }
}

/** The API server offers no such kind; a custom one may not be installed yet. */
export class UnknownKindError extends Error {
  override readonly name = 'UnknownKindError';

  constructor(
    readonly apiVersion: string,
    readonly kind: string,
  ) {
    super(`the API server knows no ${kind} in ${apiVersion}: check the spelling of both, or install its CustomResourceDefinition first`);
  }
}
