/** The scope asked for makes no sense; the message names the field. */
export class InvalidCacheScopeError extends Error {
  override readonly name = 'InvalidCacheScopeError';

  constructor(
    readonly resource: string,
    readonly field: string,
    problem: string,
  ) {
    super(`cache of ${resource}: ${field} ${problem}`);
  }
}

/** Two users of one watch want its objects transformed differently. */
export class TransformConflictError extends Error {
  override readonly name = 'TransformConflictError';

  constructor(readonly resource: string) {
    super(
      `cache of ${resource}: transform differs from that of another user of the same watch; ` +
        'pass the same function everywhere (or none), or ask for another scope',
    );
  }
}

export class UnknownIndexError extends Error {
  override readonly name = 'UnknownIndexError';

  constructor(
    readonly resource: string,
    readonly index: string,
    known: readonly string[],
  ) {
    super(
      `cache of ${resource}: no index "${index}" was asked for; name it in options.indexes of acquire ` +
        `(there: ${known.join(', ') || 'none'})`,
    );
  }
}

/** The cache was stopped, or this user released it. */
export class CacheStoppedError extends Error {
  override readonly name = 'CacheStoppedError';

  constructor(readonly resource: string) {
    super(`cache of ${resource}: stopped or released; acquire it again from a running SharedCache`);
  }
}

/** A transform threw; without it the object cannot be stored, and leaving it out would make the cache lie. */
export class TransformFailedError extends Error {
  override readonly name = 'TransformFailedError';

  constructor(resource: string, object: string, cause: unknown) {
    super(`cache of ${resource}: transform failed for ${object}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Nobody will be told any more, so there is nothing left to wait for. */
export class SubscriptionClosedError extends Error {
  override readonly name = 'SubscriptionClosedError';

  constructor() {
    super('the subscription was closed before everything that was cached had been delivered to it');
  }
}
