import { apiVersionOf, definitionOf } from '../client';
import type { KubeList, KubeObject, KubeReader, ListOptions, ResourceLike, WatchEvent, WatchOptions } from '../client';

/** One watch as the server's side of a test sees it. */
export class ScriptedStream implements AsyncIterable<WatchEvent> {
  open = true;
  private readonly queued: (WatchEvent | 'close' | { failure: Error })[] = [];
  private wake: (() => void) | undefined;

  constructor(readonly options: WatchOptions) {}

  send(...events: WatchEvent[]): void {
    for (const event of events) this.push(event);
  }

  close(): void {
    this.push('close');
  }

  fail(failure: Error): void {
    this.push({ failure });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent> {
    const { signal } = this.options;
    const stop = () => this.fail(signal?.reason as Error);
    signal?.addEventListener('abort', stop);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const next = this.queued.shift();
        if (next === 'close') return;
        if (next && 'failure' in next) throw next.failure;
        if (next) yield next;
        else await new Promise<void>((resolve) => (this.wake = resolve));
      }
    } finally {
      this.open = false;
      signal?.removeEventListener('abort', stop);
    }
  }

  private push(item: WatchEvent | 'close' | { failure: Error }): void {
    this.queued.push(item);
    this.wake?.();
  }
}

export interface ScriptedList {
  items?: KubeObject[];
  version?: string;
  continue?: string;
}

/**
 * A KubeReader whose answers a test writes down beforehand: lists in the order they are asked for, watches as streams to speak into.
 * A list that nobody wrote an answer for hangs until it is aborted; watches are open until the test ends them.
 */
export class ScriptedReader implements KubeReader {
  readonly lists: ListOptions[] = [];
  readonly streams: ScriptedStream[] = [];
  /** Thrown by the next watches instead of opening a stream. */
  readonly watchFailures: Error[] = [];
  /** Thrown by the next watches that ask for a streaming list. */
  readonly streamingFailures: Error[] = [];
  readonly answers: (ScriptedList | Error)[] = [];
  openLists = 0;

  get stream(): ScriptedStream {
    const stream = this.streams.at(-1);
    if (!stream) throw new Error('nobody is watching');
    return stream;
  }

  get openRequests(): number {
    return this.openLists + this.streams.filter(({ open }) => open).length;
  }

  async list<T extends KubeObject>(resource: ResourceLike<T>, options: ListOptions = {}): Promise<KubeList<T>> {
    this.lists.push(options);
    const answer = this.answers.shift();
    if (answer instanceof Error) throw answer;
    if (!answer) return this.hang(options.signal);
    const definition = definitionOf(resource);
    return {
      apiVersion: apiVersionOf(definition),
      kind: `${definition.kind}List`,
      metadata: { resourceVersion: answer.version, continue: answer.continue },
      items: (answer.items ?? []) as T[],
    };
  }

  watch<T extends KubeObject>(_resource: ResourceLike<T>, options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    const stream = new ScriptedStream(options);
    const failures = options.sendInitialEvents && this.streamingFailures.length > 0 ? this.streamingFailures : this.watchFailures;
    const failure = failures.shift();
    if (failure) stream.fail(failure);
    this.streams.push(stream);
    return stream as AsyncIterable<WatchEvent<T>>;
  }

  get(): never {
    throw new Error('a cache never gets single objects');
  }

  find(): never {
    throw new Error('a cache never gets single objects');
  }

  listAll(): never {
    throw new Error('a cache pages by itself');
  }

  getScale(): never {
    throw new Error('a cache never reads scales');
  }

  private async hang(signal: AbortSignal | undefined): Promise<never> {
    this.openLists++;
    try {
      return await new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    } finally {
      this.openLists--;
    }
  }
}
