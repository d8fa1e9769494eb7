/** A patch that cannot be read (400), is too long (413) or does not fit the object (422); the message is the API server's. */
export class PatchError extends Error {
  override readonly name = 'PatchError';

  constructor(
    message: string,
    readonly code: 400 | 413 | 422,
  ) {
    super(message);
  }
}
