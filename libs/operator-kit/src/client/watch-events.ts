import type { KubeObject } from './kube-object';
import type { WatchEvent } from './requests';
import type { WatchStream } from './watch-stream';

type Result<T extends KubeObject> = IteratorResult<WatchEvent<T>, undefined>;

/**
 * One watch as something to loop over.
 *
 * The connection is opened by the first `next` and closed by the end of the loop, however it ends. An event that is at hand costs one promise.
 */
export class WatchEvents<T extends KubeObject> implements AsyncIterableIterator<WatchEvent<T>> {
  private readonly closing = new AbortController();
  private readonly onOuterAbort = () => this.close(this.outer?.reason);
  private stream: WatchStream<T> | undefined;
  private state: 'idle' | 'running' | 'left' | 'over' = 'idle';

  constructor(
    private readonly open: (signal: AbortSignal) => Promise<WatchStream<T>>,
    private readonly outer: AbortSignal | undefined,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Result<T>> {
    if (this.state === 'left' || this.state === 'over') return { done: true, value: undefined };
    try {
      const stream = this.stream ?? (await this.connect());
      for (;;) {
        const event = stream.take();
        if (event) return { done: false, value: event };
        if (stream.isOver) return this.finish();
        await stream.moreData();
      }
    } catch (error) {
      if (this.wasLeft()) return { done: true, value: undefined };
      this.finish();
      throw error;
    }
  }

  return(): Promise<Result<T>> {
    this.state = 'left';
    this.close(new Error('the watch was left'));
    return Promise.resolve({ done: true, value: undefined });
  }

  private async connect(): Promise<WatchStream<T>> {
    this.state = 'running';
    this.outer?.throwIfAborted();
    this.outer?.addEventListener('abort', this.onOuterAbort, { once: true });
    this.stream = await this.open(this.closing.signal);
    if (this.closing.signal.aborted) this.stream.abort(this.closing.signal.reason);
    return this.stream;
  }

  /** A call, since the state changes while `next` waits. */
  private wasLeft(): boolean {
    return this.state === 'left';
  }

  private finish(): Result<T> {
    this.state = 'over';
    this.close(new Error('the watch is over'));
    return { done: true, value: undefined };
  }

  private close(reason: unknown): void {
    this.outer?.removeEventListener('abort', this.onOuterAbort);
    this.closing.abort(reason);
    this.stream?.abort(reason);
  }
}
