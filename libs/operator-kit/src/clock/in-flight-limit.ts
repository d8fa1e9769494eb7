/**
 * Lets a bounded number of pieces of work run at once; the others wait, first come first served.
 *
 * A waiter whose signal fires leaves the line; `run` rejects with the signal's reason then. Who must not wait behind too many asks `isFull` first.
 */
export class InFlightLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly maxInFlight: number,
    private readonly maxWaiting = Infinity,
  ) {
    if (!Number.isInteger(maxInFlight) || maxInFlight < 1)
      throw new RangeError(`maxInFlight is ${maxInFlight}: give a whole number above 0`);
  }

  get isFull(): boolean {
    return this.running >= this.maxInFlight && this.waiting.length >= this.maxWaiting;
  }

  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.running < this.maxInFlight) this.running++;
    else await this.turn(signal);
    try {
      return await work();
    } finally {
      // A place that is passed on stays counted.
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = () => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        reject(signal?.reason as Error);
      };
      const go = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.waiting.push(go);
    });
  }
}
