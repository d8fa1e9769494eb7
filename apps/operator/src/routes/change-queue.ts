/** A change that somebody waits for. */
export interface Waiting<Change, Outcome> {
  readonly change: Change;
  /** Nobody waits any more: it is done, or the caller has given up. */
  readonly isOver: boolean;
  resolve(outcome: Outcome): void;
}

/** Where a round finds what is to be done. */
export interface WaitingChanges<Change, Outcome> {
  /** Everything that has come up to now and still matters to somebody. */
  take(): Waiting<Change, Outcome>[];
  /** What a failed round leaves undone, to be taken again. */
  giveBack(undone: readonly Waiting<Change, Outcome>[]): void;
}

export type Round<Change, Outcome> = (waiting: WaitingChanges<Change, Outcome>, signal: AbortSignal) => Promise<void>;

/**
 * Lets changes that come while a round is on its way be decided together in the next one.
 *
 * One round at a time. When it throws, everyone who waits gets the error. Its signal fires, at once, when the last one who waits gives up, and only then:
 * one caller's abort stops nobody else, and when all of them lose the lead nothing more is written.
 */
export class ChangeQueue<Change, Outcome> implements WaitingChanges<Change, Outcome> {
  private waiting: Caller<Change, Outcome>[] = [];
  private callers = 0;
  private stopping: AbortController | undefined;

  constructor(private readonly round: Round<Change, Outcome>) {}

  /** Settles as its round says, or rejects with the signal's reason. */
  submit(change: Change, signal: AbortSignal): Promise<Outcome> {
    signal.throwIfAborted();
    const caller = new Caller<Change, Outcome>(change, signal, (end) => {
      this.callers--;
      if (end === 'gave up' && this.callers === 0) this.stopping?.abort(signal.reason);
    });
    this.callers++;
    this.waiting.push(caller);
    if (!this.stopping) void this.run();
    return caller.promise;
  }

  take(): Caller<Change, Outcome>[] {
    return this.waiting.splice(0).filter(({ isOver }) => !isOver);
  }

  giveBack(undone: readonly Caller<Change, Outcome>[]): void {
    this.waiting.unshift(...undone);
  }

  private async run(): Promise<void> {
    while (this.waiting.some(({ isOver }) => !isOver)) {
      const stopping = new AbortController();
      this.stopping = stopping;
      try {
        await this.round(this, stopping.signal);
      } catch (error) {
        // A round that was stopped failed nobody: whoever waits now has come since.
        if (!stopping.signal.aborted) for (const caller of this.take()) caller.reject(error);
      }
    }
    this.waiting = [];
    this.stopping = undefined;
  }
}

class Caller<Change, Outcome> implements Waiting<Change, Outcome> {
  isOver = false;
  private readonly settling = Promise.withResolvers<Outcome>();

  constructor(
    readonly change: Change,
    private readonly signal: AbortSignal,
    private readonly onEnd: (end: 'settled' | 'gave up') => void,
  ) {
    signal.addEventListener('abort', this.giveUp, { once: true });
  }

  get promise(): Promise<Outcome> {
    return this.settling.promise;
  }

  resolve(outcome: Outcome): void {
    if (this.end('settled')) this.settling.resolve(outcome);
  }

  reject(error: unknown): void {
    if (this.end('settled')) this.settling.reject(error);
  }

  private readonly giveUp = (): void => {
    if (this.end('gave up')) this.settling.reject(this.signal.reason);
  };

  private end(end: 'settled' | 'gave up'): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.signal.removeEventListener('abort', this.giveUp);
    this.onEnd(end);
    return true;
  }
}
