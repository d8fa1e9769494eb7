export interface RateLimiterOptions<K> {
  /** The first delay. Default 1 s. */
  baseMs?: number;
  /** No delay is longer. Default 5 min. */
  capMs?: number;
  /** The share of a delay that chance may take off, so that keys that failed together do not come back together. Default 0.2. */
  jitter?: number;
  /** Uniform in [0, 1). */
  random?: () => number;
  /** Needed when keys are objects: equal keys must give equal strings. */
  keyOf?: (key: K) => string;
}

/**
 * How long to wait before a key is tried again: doubling with each failure in a row, for each key on its own.
 *
 * Remembers only keys that failed and were not forgotten since.
 */
export class RateLimiter<K = string> {
  private readonly failuresById = new Map<string, number>();
  private readonly options: Required<RateLimiterOptions<K>>;

  constructor(options: RateLimiterOptions<K> = {}) {
    this.options = { baseMs: 1_000, capMs: 5 * 60_000, jitter: 0.2, random: Math.random, keyOf: String, ...options };
    const { baseMs, capMs, jitter } = this.options;
    if (!(baseMs > 0)) throw new RangeError(`baseMs is ${baseMs}: give a delay above 0`);
    if (!(capMs >= baseMs)) throw new RangeError(`capMs is ${capMs}: give a delay of at least baseMs (${baseMs})`);
    if (!(jitter >= 0 && jitter <= 1)) throw new RangeError(`jitter is ${jitter}: give a share between 0 and 1`);
  }

  /** Counts one more failure of the key and says how long to wait. */
  next(key: K): number {
    const { baseMs, capMs, jitter, random, keyOf } = this.options;
    const id = keyOf(key);
    const failures = this.failuresById.get(id) ?? 0;
    this.failuresById.set(id, failures + 1);

    // 2 ** 1024 is Infinity, which the cap absorbs.
    const delayMs = Math.min(capMs, baseMs * 2 ** failures);
    return delayMs * (1 - jitter * random());
  }

  /** Failures since the key was last forgotten. */
  failures(key: K): number {
    return this.failuresById.get(this.options.keyOf(key)) ?? 0;
  }

  forget(key: K): void {
    this.failuresById.delete(this.options.keyOf(key));
  }
}
