/** Why a resolver pod gave no answer that can be used. The message goes on from "resolver pod X". */
export abstract class ResolverCallError extends Error {}

export class ResolverUnreachableError extends ResolverCallError {
  override readonly name = 'ResolverUnreachableError';

  constructor(port: number, cause: unknown) {
    const code = codeOf(cause);
    super(`cannot be reached on port ${port}${code ? ` (${code})` : ''}: it may have ended, or a NetworkPolicy is in the way`, { cause });
  }
}

export class ResolverTimeoutError extends ResolverCallError {
  override readonly name = 'ResolverTimeoutError';

  constructor(timeoutMs: number) {
    super(`did not answer within ${timeoutMs / 1000} s`);
  }
}

/** It left the resolvers' Service while it was asked. */
export class ResolverGoneError extends ResolverCallError {
  override readonly name = 'ResolverGoneError';

  constructor() {
    super('has left');
  }
}

export class ResolverStatusError extends ResolverCallError {
  override readonly name = 'ResolverStatusError';

  constructor(statusCode: number) {
    super(`answered with status ${statusCode} where 200 was expected`);
  }
}

/** `mistake` begins with the field: `services[0].open must be ...`. */
export class ResolverAnswerError extends ResolverCallError {
  override readonly name = 'ResolverAnswerError';

  constructor(mistake: string) {
    super(`gave an answer that makes no sense: ${mistake}`);
  }
}

/** As Node and undici name it: `ECONNREFUSED`. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
