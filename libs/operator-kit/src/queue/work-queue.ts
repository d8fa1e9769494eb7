import type { Clock } from '../clock';
import type { KitMetrics } from '../metrics';
import { DelayedKeys } from './delayed-keys';
import { QueueMeter } from './queue-meter';
import { ReadyKeys } from './ready-keys';
import type { AgingOptions } from './ready-keys';

/** Higher goes first. */
export const priorities = { low: -100, normal: 0, high: 100 } as const;

export interface WorkQueueOptions<K> {
  /** The label of its metrics: unique within the process. */
  name: string;
  clock: Clock;
  metrics: KitMetrics;
  /** Needed when keys are objects: equal keys must give equal strings. */
  keyOf?: (key: K) => string;
  /** Default: a key is overdue after 10 s and one of 4 hand-outs then goes to the oldest. */
  aging?: AgingOptions;
}

export interface AddOptions {
  /** Default `priorities.normal`. */
  priority?: number;
}

export interface TakenKey<K> {
  readonly key: K;
  readonly priority: number;
}

interface InWork {
  readonly priority: number;
  readonly sinceMs: number;
  /** It was added meanwhile. */
  again?: { priority: number; sinceMs: number };
}

interface Taker<K> {
  resolve(taken: TakenKey<K> | undefined): void;
}

/**
 * Keys that need work, each handed to one worker at a time.
 *
 * A key is in at most one place: delayed, ready or in work; an add of a key in work is remembered and makes it ready again when
 * the worker is done. So the queue is the lock of its keys. Every `get` that returned a key must be followed by `done`.
 * Keys that are done leave nothing behind.
 */
export class WorkQueue<K = string> {
  private readonly ready: ReadyKeys<K>;
  private readonly delayed: DelayedKeys<K>;
  private readonly inWork = new Map<string, InWork>();
  private readonly takers = new Set<Taker<K>>();
  private readonly drains = new Set<() => void>();
  private readonly clock: Clock;
  private readonly meter: QueueMeter;
  private readonly keyOf: (key: K) => string;
  private state: 'open' | 'shut down' = 'open';

  constructor({ name, clock, metrics, keyOf = String, aging = { overdueMs: 10_000, oneIn: 4 } }: WorkQueueOptions<K>) {
    this.clock = clock;
    this.keyOf = keyOf;
    this.ready = new ReadyKeys(clock, aging);
    this.delayed = new DelayedKeys(clock, ({ key, priority }) => this.add(key, { priority }));
    this.meter = new QueueMeter(name, metrics, () => [...this.inWork.values()].map(({ sinceMs }) => this.clock.monotonic() - sinceMs));
  }

  /** Keys ready to be taken; delayed ones and those in work are not counted. */
  get depth(): number {
    return this.ready.size;
  }

  /** Ready as soon as possible; a delay that is running for this key is over. */
  add(key: K, { priority = priorities.normal }: AddOptions = {}): void {
    if (this.state !== 'open') return;

    const id = this.keyOf(key);
    const wanted = Math.max(priority, this.delayed.take(id)?.priority ?? priority);
    const inWork = this.inWork.get(id);
    if (inWork) {
      if (!inWork.again) this.meter.added();
      inWork.again = {
        priority: Math.max(wanted, inWork.again?.priority ?? wanted),
        sinceMs: inWork.again?.sinceMs ?? this.clock.monotonic(),
      };
    } else if (this.ready.has(id)) {
      this.ready.raise(id, wanted);
    } else {
      this.meter.added();
      this.makeReady(id, key, wanted, this.clock.monotonic());
    }
  }

  /** Ready after the delay, unless it is ready earlier for another reason: it is delivered once then. */
  addAfter(key: K, delayMs: number, { priority = priorities.normal }: AddOptions = {}): void {
    if (!Number.isFinite(delayMs)) throw new RangeError(`delayMs is ${delayMs}: give a number of milliseconds`);
    if (this.state !== 'open') return;

    const id = this.keyOf(key);
    const comesSooner = this.ready.has(id) || this.inWork.get(id)?.again !== undefined;
    if (delayMs <= 0 || comesSooner) return this.add(key, { priority });
    this.delayed.put({ id, key, priority }, delayMs);
  }

  /** As `addAfter`, for the worker that holds the key: it keeps the priority it was taken with and counts as a retry. */
  retry(key: K, delayMs: number): void {
    const priority = this.inWork.get(this.keyOf(key))?.priority ?? priorities.normal;
    this.meter.retried();
    this.addAfter(key, delayMs, { priority });
  }

  /** Waits for a key; undefined once the queue is shut down and empty. Rejects with the signal's reason, taking nothing. */
  get(signal?: AbortSignal): Promise<TakenKey<K> | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const taken = this.take();
    if (taken || this.state !== 'open') return Promise.resolve(taken);

    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.takers.delete(taker);
        reject(signal?.reason as Error);
      };
      const taker: Taker<K> = {
        resolve: (key) => {
          this.takers.delete(taker);
          signal?.removeEventListener('abort', onAbort);
          resolve(key);
        },
      };
      this.takers.add(taker);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** The worker is through with the key. @throws when nobody holds it. */
  done(key: K): void {
    const id = this.keyOf(key);
    const inWork = this.inWork.get(id);
    if (!inWork) throw new Error(`done(${id}): nobody holds this key; call done once for each get`);

    this.inWork.delete(id);
    this.meter.finished(this.clock.monotonic() - inWork.sinceMs);
    if (inWork.again) this.makeReady(id, key, inWork.again.priority, inWork.again.sinceMs);
    this.noticeIdle();
  }

  /** Takes no more keys and drops delayed ones. Workers still get what is ready, then undefined. Nobody waits for a drain any longer. */
  shutDown(): void {
    this.close();
    for (const release of [...this.drains]) release();
  }

  /** As `shutDown`, and resolves when nothing is ready or in work any more, or when `shutDown` is called. Rejects with the signal's reason. */
  drain(signal?: AbortSignal): Promise<void> {
    this.close();
    if (this.isIdle) return Promise.resolve();
    if (signal?.aborted) return Promise.reject(signal.reason as Error);

    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.drains.delete(release);
        reject(signal?.reason as Error);
      };
      const release = () => {
        this.drains.delete(release);
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      this.drains.add(release);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  private get isIdle(): boolean {
    return this.ready.size === 0 && this.inWork.size === 0;
  }

  private close(): void {
    this.state = 'shut down';
    this.delayed.clear();
    for (const taker of [...this.takers]) taker.resolve(undefined);
    this.noticeIdle();
  }

  private noticeIdle(): void {
    if (this.state === 'open' || !this.isIdle) return;
    this.meter.close();
    for (const release of [...this.drains]) release();
  }

  private makeReady(id: string, key: K, priority: number, sinceMs: number): void {
    this.ready.put({ id, key, priority, sinceMs });
    const [taker] = this.takers;
    if (taker) taker.resolve(this.take());
    else this.meter.depth(this.ready.size);
  }

  private take(): TakenKey<K> | undefined {
    const taken = this.ready.take();
    if (!taken) return undefined;

    const nowMs = this.clock.monotonic();
    this.inWork.set(taken.id, { priority: taken.priority, sinceMs: nowMs });
    this.meter.taken(nowMs - taken.sinceMs);
    this.meter.depth(this.ready.size);
    return { key: taken.key, priority: taken.priority };
  }
}
