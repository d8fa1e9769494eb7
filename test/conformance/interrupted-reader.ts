import { TransportError, apiErrorFor } from '@elasti/operator-kit';
import type {
  KubeClient,
  KubeList,
  KubeObject,
  KubeReader,
  ListOptions,
  ObjectRef,
  RequestOptions,
  ResourceLike,
  Scale,
  ScopeOptions,
  WatchEvent,
  WatchOptions,
} from '@elasti/operator-kit';

/**
 * A client whose watches a case can end in the ways that a server or a network would.
 *
 * From `forget` or `breakOff` until `goOn` no list and no watch begins, so that a case decides what is missed.
 */
export class InterruptedReader implements KubeReader {
  /** How many streaming lists were asked for. */
  streamingLists = 0;
  private interruption = Promise.withResolvers<never>();
  private open = Promise.resolve();
  private goOnNow: () => void = () => undefined;

  constructor(private readonly client: KubeClient) {
    this.interruption.promise.catch(() => undefined);
  }

  /** Ends the watch as a server does that no longer knows its version. */
  forget(): void {
    this.interrupt(
      apiErrorFor(410, { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired', message: 'too old' }, 'GET /watched'),
    );
  }

  /** Ends the watch as a lost connection does. */
  breakOff(): void {
    this.interrupt(new TransportError('GET /watched', { cause: new Error('the connection was reset') }));
  }

  goOn(): void {
    this.goOnNow();
  }

  async *watch<T extends KubeObject>(resource: ResourceLike<T>, options: WatchOptions = {}): AsyncIterable<WatchEvent<T>> {
    if (options.sendInitialEvents) this.streamingLists++;
    await this.open;
    const { promise: interrupted } = this.interruption;
    const events = this.client.watch(resource, options)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([events.next(), interrupted]);
        if (next.done) return;
        yield next.value;
      }
    } finally {
      await events.return?.();
    }
  }

  async list<T extends KubeObject>(resource: ResourceLike<T>, options?: ListOptions): Promise<KubeList<T>> {
    await this.open;
    return this.client.list(resource, options);
  }

  get<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: RequestOptions): Promise<T> {
    return this.client.get(resource, ref, options);
  }

  find<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: RequestOptions): Promise<T | undefined> {
    return this.client.find(resource, ref, options);
  }

  listAll<T extends KubeObject>(resource: ResourceLike<T>, options?: ScopeOptions & { pageSize?: number }): AsyncIterable<T> {
    return this.client.listAll(resource, options);
  }

  getScale(resource: ResourceLike, ref: ObjectRef, options?: RequestOptions): Promise<Scale> {
    return this.client.getScale(resource, ref, options);
  }

  private interrupt(error: Error): void {
    const gate = Promise.withResolvers<undefined>();
    this.open = gate.promise;
    this.goOnNow = () => gate.resolve(undefined);
    const { reject } = this.interruption;
    this.interruption = Promise.withResolvers<never>();
    this.interruption.promise.catch(() => undefined);
    reject(error);
  }
}
