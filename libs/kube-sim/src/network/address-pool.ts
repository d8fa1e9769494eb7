import { type SimClock } from '../sim-clock';
import { type AddressRange } from './address-range';

export interface AddressPoolSettings {
  /** How long an address that was given back is nobody's: clients may still know its last owner by it. */
  readonly restMs: number;
  /** The number of the first address to give. */
  readonly start: number;
}

/** Gives addresses of a range, each to one owner at a time; one that was given back rests before it is given again. */
export class AddressPool {
  private readonly taken = new Set<string>();
  /** When the rest of an address ends; in the order in which they were given back. */
  private readonly resting = new Map<string, number>();
  private next: number;

  constructor(
    private readonly range: AddressRange,
    private readonly clock: SimClock,
    private readonly settings: AddressPoolSettings,
  ) {
    this.next = settings.start;
  }

  /** @throws Error when every address is taken or rests. */
  take(): string {
    this.endRests();
    for (let attempts = 0; attempts < this.range.size; attempts++) {
      const address = this.range.at(this.next);
      this.next = (this.next + 1) % this.range.size;
      if (this.taken.has(address) || this.resting.has(address)) continue;
      this.taken.add(address);
      return address;
    }
    throw new Error(`all ${this.range.size} addresses of ${this.range.text} are in use or rest: take a larger range`);
  }

  giveBack(address: string): void {
    if (!this.taken.delete(address)) return;
    this.resting.set(address, this.clock.nowMs() + this.settings.restMs);
  }

  private endRests(): void {
    for (const [address, untilMs] of this.resting) {
      if (untilMs > this.clock.nowMs()) return;
      this.resting.delete(address);
    }
  }
}
