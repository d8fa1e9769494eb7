import { type Event, type KubeObject, type ObjectRef, type Patch, apiErrorFor, formatRef } from '../client';
import type { EventSenderParts } from './event-sender';

type EventClient = EventSenderParts['client'];

/** The cluster's events as the API server keeps them, and a switch for how it fails. */
export class FakeEvents implements EventClient {
  readonly stored = new Map<string, Event>();
  requests = 0;
  /** Thrown instead of an answer. */
  failure?: Error;
  /** While set, no request is answered. */
  gate?: Promise<unknown>;

  async create<T extends KubeObject>(_resource: unknown, object: T, options?: { signal?: AbortSignal }): Promise<T> {
    await this.arrive(options?.signal);
    const event = object as unknown as Event;
    const key = formatRef({ namespace: event.metadata.namespace, name: event.metadata.name ?? '' });
    if (this.stored.has(key)) throw apiErrorFor(409, { kind: 'Status', apiVersion: 'v1', reason: 'AlreadyExists' }, 'POST events');
    this.stored.set(key, structuredClone(event));
    return object;
  }

  async patch<T extends KubeObject>(_resource: unknown, ref: ObjectRef, patch: Patch, options?: { signal?: AbortSignal }): Promise<T> {
    await this.arrive(options?.signal);
    const event = this.stored.get(formatRef(ref));
    if (!event || patch.type !== 'merge') throw apiErrorFor(404, { kind: 'Status', apiVersion: 'v1', reason: 'NotFound' }, 'PATCH event');
    Object.assign(event, structuredClone(patch.body));
    return event as unknown as T;
  }

  /** Note and count of every event, in order of creation. */
  get told(): [note: string | undefined, count: number][] {
    return [...this.stored.values()].map(({ note, series }) => [note, series?.count ?? 1]);
  }

  private async arrive(signal?: AbortSignal): Promise<void> {
    this.requests += 1;
    const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)));
    await Promise.race([this.gate, aborted]);
    if (this.failure) throw this.failure;
  }
}
