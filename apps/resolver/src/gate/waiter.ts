import type { Holder, Ticket } from '../exchange';
import type { Lane } from './lane';

/** One held request: a link in a list, without a timer, a promise or a closure of its own. */
export class Waiter implements Ticket {
  previous: Waiter | undefined;
  next: Waiter | undefined;
  state: 'waiting' | 'over' = 'waiting';

  constructor(
    readonly lane: Lane,
    readonly sinceMs: number,
    readonly bytes: number,
    readonly not: ReadonlySet<string> | undefined,
    readonly holder: Holder,
    private readonly owner: { abandon(waiter: Waiter): void },
  ) {}

  leave(): void {
    if (this.state === 'waiting') this.owner.abandon(this);
  }
}

/** Oldest first; any may leave at once, from wherever it stands. */
export class WaiterQueue {
  private first: Waiter | undefined;
  private last: Waiter | undefined;

  get oldest(): Waiter | undefined {
    return this.first;
  }

  /** Behind all that wait for as long or longer: new ones go to the end at once, those that come back are among the first. */
  add(waiter: Waiter): void {
    let behind = this.last;
    if (behind && behind.sinceMs > waiter.sinceMs) {
      behind = undefined;
      for (let next = this.first; next && next.sinceMs <= waiter.sinceMs; next = next.next) behind = next;
    }
    const before = behind ? behind.next : this.first;
    waiter.previous = behind;
    waiter.next = before;
    if (behind) behind.next = waiter;
    else this.first = waiter;
    if (before) before.previous = waiter;
    else this.last = waiter;
  }

  remove(waiter: Waiter): void {
    if (waiter.previous) waiter.previous.next = waiter.next;
    else this.first = waiter.next;
    if (waiter.next) waiter.next.previous = waiter.previous;
    else this.last = waiter.previous;
    waiter.previous = waiter.next = undefined;
    waiter.state = 'over';
  }
}
