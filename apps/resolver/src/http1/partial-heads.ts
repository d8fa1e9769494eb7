import { PARTIAL_HEADS_LIMIT_BYTES } from './limits';

/**
 * What the unfinished heads of all clients together take of the process's memory, and may take.
 *
 * No queue counts them, for whom they are meant shows only at their end. A head that comes whole is never counted.
 */
export class PartialHeads {
  private taken = 0;

  constructor(private readonly limitBytes = PARTIAL_HEADS_LIMIT_BYTES) {}

  get bytes(): number {
    return this.taken;
  }

  /** False, and nothing is taken, when there is no room for so much more. */
  take(bytes: number): boolean {
    if (this.taken + bytes > this.limitBytes) return false;
    this.taken += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.taken -= bytes;
  }
}
