import type { Clock } from '@elasti/operator-kit';

/** So long may one turn of the event loop be busy with what was read. */
const TURN_MS = 10;
/** Between two looks at the clock. */
const READS_BETWEEN_LOOKS = 8;

/** Something that was read and waits for its turn. */
export interface LateRead {
  onTurn(): void;
}

/**
 * Spreads a crowd over many turns of the event loop.
 *
 * libuv hands over the first bytes of thousands of connections in one turn, in which no timer runs and no probe is answered. Beyond a
 * few milliseconds the rest comes in the next turns, in the order in which it was read, and before anything newer.
 */
export class ReadTurns {
  private reads = 0;
  private beganAtMs = 0;
  private isSpent = false;
  private readonly late: LateRead[] = [];
  private next = 0;

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Whether there is time for one more in this turn; whoever gets `false` comes back by `wait`. */
  take(): boolean {
    if (this.reads++ === 0) this.begin();
    else if (this.reads % READS_BETWEEN_LOOKS === 0) this.look();
    return !this.isSpent;
  }

  wait(read: LateRead): void {
    this.late.push(read);
  }

  private begin(): void {
    this.beganAtMs = this.clock.monotonic();
    setImmediate(this.onTurn);
  }

  private look(): void {
    if (this.clock.monotonic() - this.beganAtMs >= TURN_MS) this.isSpent = true;
  }

  private readonly onTurn = (): void => {
    this.reads = 0;
    this.isSpent = false;
    while (this.next < this.late.length && this.take()) this.late[this.next++]?.onTurn();
    if (this.next < this.late.length) {
      this.isSpent = true;
      return;
    }
    this.late.length = 0;
    this.next = 0;
  };
}
