import type { PodLease } from '../exchange';
import type { Lane } from './lane';

/** One held request. It listens to its signal itself: a closure for each of many thousands would weigh more than the rest. */
export class Waiter {
  previous: Waiter | undefined;
  next: Waiter | undefined;

  constructor(
    readonly lane: Lane,
    readonly sinceMs: number,
    readonly bytes: number,
    readonly not: ReadonlySet<string> | undefined,
    private readonly signal: AbortSignal,
    private readonly onAbort: (waiter: Waiter) => void,
    private readonly resolve: (lease: PodLease) => void,
    private readonly reject: (error: Error) => void,
  ) {
    signal.addEventListener('abort', this, { once: true });
  }

  handleEvent(): void {
    this.onAbort(this);
  }

  enter(lease: PodLease): void {
    this.signal.removeEventListener('abort', this);
    this.resolve(lease);
  }

  fail(error: Error): void {
    this.signal.removeEventListener('abort', this);
    this.reject(error);
  }

  leave(): void {
    this.reject(this.signal.reason as Error);
  }
}

/** Oldest first; any may leave at once, from wherever it stands. */
export class WaiterQueue {
  private first: Waiter | undefined;
  private last: Waiter | undefined;

  get oldest(): Waiter | undefined {
    return this.first;
  }

  /** Behind all that wait for as long or longer. New ones come last, so the search from the end is short; those that return are among the first. */
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
  }
}
