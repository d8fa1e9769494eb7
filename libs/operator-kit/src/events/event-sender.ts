import {
  AlreadyExistsError,
  Event,
  type KubeWriter,
  NotFoundError,
  ServerError,
  TooManyRequestsError,
  TransportError,
  longestRetryAfterMs,
  retryAfterMs,
} from '../client';
import { type Clock, sleep } from '../clock';
import type { Logger } from '../logging';
import type { KitMetrics } from '../metrics';
import { type CountedEvent, type Reporter, buildEvent, buildSeries, namespaceOf } from './counted-event';

export interface EventSenderParts {
  client: Pick<KubeWriter, 'create' | 'patch'>;
  clock: Clock;
  logger: Logger;
  metrics: KitMetrics;
  /** Between 0 and 1, for the jitter. */
  random?: () => number;
}

const queueLimit = 1000;
const requestTimeoutMs = 10_000;
const firstBackoffMs = 1_000;
const maxBackoffMs = 30_000;
/** The trouble may be with this very event, a webhook that fails on it, say; the others must not wait for it for ever. */
const maxServerErrors = 12;

/**
 * Writes events in the background, one at a time, in order.
 *
 * Holds a bounded number; when there are more, the oldest is dropped and counted. An event that repeats while it waits is written once, with its
 * newest count. What the API server refuses, or fails on a dozen times, is dropped; what it did not answer, or was too busy for, is tried again until it
 * works or there is no room.
 */
export class EventSender {
  private queue: CountedEvent[] = [];
  private sending?: Promise<void>;
  private readonly closing = new AbortController();
  private readonly givenUp = new AbortController();

  constructor(
    private readonly parts: EventSenderParts,
    private readonly reporter: Reporter,
  ) {}

  enqueue(event: CountedEvent): void {
    if (this.closing.signal.aborted) return this.drop('stopped');
    if (this.queue.includes(event)) return;

    this.queue.push(event);
    if (this.queue.length > queueLimit) {
      this.queue.shift();
      this.drop('queue_full');
    }
    this.sending ??= this.sendAll();
  }

  /** Sends what is left, for at most so long, and takes no more. */
  async stop(timeoutMs: number): Promise<void> {
    this.closing.abort();
    const timer = this.parts.clock.after(timeoutMs, () => this.givenUp.abort(new Error('no time left to send events')));
    await this.sending;
    timer.cancel();
    this.drop('stopped', this.queue.length);
    this.queue = [];
  }

  private async sendAll(): Promise<void> {
    let failures = 0;
    for (let event = this.queue.shift(); event; event = this.queue.shift()) {
      const error = await this.trySend(event);
      failures = error === undefined ? 0 : failures + 1;
      if (error === undefined) continue;

      if (error instanceof ServerError && ++event.serverErrors >= maxServerErrors) this.giveUpOn(event, error);
      else this.putBack(event);
      await this.pause(Math.min(retryAfterMs(error) ?? this.backoffMs(failures), longestRetryAfterMs));
      if (this.givenUp.signal.aborted) break;
    }
    // In the same turn as the queue was found empty, so that no event can come in between and wait for nobody.
    this.sending = undefined;
  }

  /** The error, when the event is worth another try. */
  private async trySend(event: CountedEvent): Promise<Error | undefined> {
    try {
      await this.write(event);
      event.serverErrors = 0;
      this.parts.metrics.eventsSent.inc();
      return undefined;
    } catch (error) {
      if (isWorthRetrying(error) || this.givenUp.signal.aborted) return error as Error;
      this.drop('rejected');
      this.parts.logger.warn('the API server refused an event', { regarding: event.regarding, reason: event.event.reason, error });
      return undefined;
    }
  }

  private async write(event: CountedEvent): Promise<void> {
    if (!event.written) return this.create(event);

    try {
      await this.patchSeries(event);
    } catch (error) {
      // Events live for an hour or so; one that goes on happening is written anew.
      if (!(error instanceof NotFoundError)) throw error;
      await this.create(event);
    }
  }

  private async create(event: CountedEvent): Promise<void> {
    const { count } = event;
    try {
      await this.parts.client.create(Event, buildEvent(event, this.reporter), this.requestOptions());
    } catch (error) {
      // The name is random: it is there because an earlier try did arrive, when the count was lower.
      if (!(error instanceof AlreadyExistsError)) throw error;
      if (count > 1) await this.patchSeries(event);
    }
    event.written = true;
  }

  private async patchSeries(event: CountedEvent): Promise<void> {
    const ref = { namespace: namespaceOf(event.regarding), name: event.name };
    await this.parts.client.patch(Event, ref, { type: 'merge', body: { series: buildSeries(event) } }, this.requestOptions());
  }

  private giveUpOn(event: CountedEvent, error: ServerError): void {
    event.serverErrors = 0;
    this.drop('rejected');
    this.parts.logger.warn('the API server keeps failing on an event', { regarding: event.regarding, reason: event.event.reason, error });
  }

  private putBack(event: CountedEvent): void {
    if (this.queue.includes(event)) return;
    if (this.queue.length >= queueLimit) return this.drop('queue_full');
    this.queue.unshift(event);
  }

  private requestOptions(): { signal: AbortSignal; timeoutMs: number } {
    return { signal: this.givenUp.signal, timeoutMs: requestTimeoutMs };
  }

  private backoffMs(failures: number): number {
    const { random = Math.random } = this.parts;
    return Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(failures - 1, 10)) * (1 - random() / 4);
  }

  /** Closing cuts the first wait short; from then on only the end of all time does. */
  private async pause(delayMs: number): Promise<void> {
    const { signal } = this.closing.signal.aborted ? this.givenUp : this.closing;
    await sleep(this.parts.clock, delayMs, signal).catch(() => undefined);
  }

  private drop(reason: 'queue_full' | 'rejected' | 'stopped', count = 1): void {
    this.parts.metrics.eventsDropped.inc({ reason }, count);
  }
}

function isWorthRetrying(error: unknown): boolean {
  return error instanceof TransportError || error instanceof TooManyRequestsError || error instanceof ServerError;
}
