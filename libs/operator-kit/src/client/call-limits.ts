import type { Clock, Timer } from '../clock';

/** The moment by which a whole call, retries included, must be over. */
export class Deadline {
  private readonly endMs: number;

  constructor(
    private readonly clock: Clock,
    /** What the caller allowed for the whole call: the number that means something to a person. */
    readonly timeoutMs: number,
  ) {
    this.endMs = clock.monotonic() + timeoutMs;
  }

  get leftMs(): number {
    return this.endMs - this.clock.monotonic();
  }
}

/** Cuts one attempt off when its time is over or its caller gives up. */
export class CallLimits {
  private abort: ((reason: unknown) => void) | undefined;
  private readonly timer: Timer;
  private readonly onAbort = () => this.abort?.(this.signal?.reason);

  constructor(
    clock: Clock,
    deadline: Deadline,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.timer = clock.after(deadline.leftMs, () => this.abort?.(new Error(`no answer within ${deadline.timeoutMs} ms`)));
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  watch(abort: (reason: unknown) => void): void {
    this.abort = abort;
  }

  /** Waits for something that cannot be cut off itself; whatever comes of it later is ignored. */
  race<R>(promise: Promise<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.watch(reject);
      promise.then(resolve, reject);
    });
  }

  isAbort(error: unknown): boolean {
    return this.signal?.aborted === true && error === this.signal.reason;
  }

  clear(): void {
    this.timer.cancel();
    this.signal?.removeEventListener('abort', this.onAbort);
  }
}
