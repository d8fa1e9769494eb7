import { untilAborted } from '@elasti/operator-kit';

/** Does work one piece after the other, in the order in which it came. Whoever gives up waiting holds up nobody. */
export class OneAtATime {
  private last: Promise<unknown> = Promise.resolve();
  private count = 0;

  /** Pieces that wait or are under way. */
  get size(): number {
    return this.count;
  }

  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.last;
    const mine = Promise.withResolvers<undefined>();
    this.last = mine.promise;
    this.count++;
    try {
      await untilAborted(before, signal);
      return await work();
    } finally {
      this.count--;
      // One that gave up leaves its turn to the next, not before it comes.
      void before.then(() => mine.resolve(undefined));
    }
  }
}
