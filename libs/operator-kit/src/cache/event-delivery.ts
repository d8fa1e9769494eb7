import type { KubeObject } from '../client';
import { type Clock, type Timer, untilAborted } from '../clock';
import type { Logger } from '../logging';
import type { SubscribeOptions, Subscription } from './cache-access';
import { SubscriptionClosedError } from './cache.errors';
import { keyOf } from './frozen';
import type { CacheEvent, Frozen } from './lister';
import { PendingEvents } from './pending-events';

export type CacheHandler<T extends KubeObject> = (event: CacheEvent<T>) => void | Promise<void>;

/** A handler that answers at once may keep the event loop this long before others get a turn. */
const turnMs = 5;

/**
 * One handler and the events that wait for it.
 *
 * The handler is called with one event after the other, never from inside a write to the store. What it throws is logged, once, and the next event follows.
 * After `close` it is not called again.
 */
export class EventDelivery<T extends KubeObject> implements Subscription {
  private readonly pending = new PendingEvents<T>();
  /** Events still to be delivered until the handler has seen all there was; undefined while that is not known. */
  private untilSynced: number | undefined;
  private readonly firstSync = Promise.withResolvers<undefined>();
  private running = false;
  private busy = 0;
  private closed = false;
  private resyncTimer: Timer | undefined;

  constructor(
    private readonly handler: CacheHandler<T>,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly onClose: (delivery: EventDelivery<T>) => void,
  ) {
    this.firstSync.promise.catch(() => undefined);
  }

  get hasSynced(): boolean {
    return this.untilSynced === 0;
  }

  async synced(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await untilAborted(this.firstSync.promise, signal);
  }

  /** Replays `objects` to this handler again and again. */
  resyncEvery({ resyncPeriodMs }: SubscribeOptions, objects: () => Frozen<T>[]): void {
    if (!resyncPeriodMs || this.closed) return;
    this.resyncTimer = this.clock.after(resyncPeriodMs, () => {
      for (const object of objects()) {
        // An object with news on its way needs no replay.
        if (!this.pending.has(keyOf(object))) this.deliver({ type: 'updated', object, before: object, resync: true });
      }
      this.resyncEvery({ resyncPeriodMs }, objects);
    });
  }

  deliver(event: CacheEvent<T>): void {
    if (this.closed) return;
    this.pending.add(keyOf(event.object), event);
    if (this.running) return;
    this.running = true;
    queueMicrotask(() => void this.run());
  }

  /** All that was there to begin with has been given to `deliver`. */
  markInitial(): void {
    this.untilSynced ??= this.pending.size + this.busy;
    if (this.hasSynced) this.firstSync.resolve(undefined);
  }

  close(reason: Error = new SubscriptionClosedError()): void {
    this.closed = true;
    this.pending.clear();
    this.resyncTimer?.cancel();
    this.firstSync.reject(reason);
    this.onClose(this);
  }

  private async run(): Promise<void> {
    let turnEndsMs = this.clock.monotonic() + turnMs;
    while (this.pending.size > 0) {
      this.busy = 1;
      for (const event of this.pending.take()) await this.call(event);
      this.busy = 0;
      this.countDown();
      if (this.clock.monotonic() < turnEndsMs) continue;
      await new Promise(setImmediate);
      turnEndsMs = this.clock.monotonic() + turnMs;
    }
    this.running = false;
  }

  private countDown(): void {
    if (this.untilSynced) this.untilSynced--;
    if (this.hasSynced) this.firstSync.resolve(undefined);
  }

  private async call(event: CacheEvent<T>): Promise<void> {
    if (this.closed) return;
    try {
      await this.handler(event);
    } catch (error) {
      this.logger.error('cache handler failed', { object: keyOf(event.object), event: event.type, error });
    }
  }
}
