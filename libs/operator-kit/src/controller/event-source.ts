import type { CacheEvent, ResourceCache, Subscription } from '../cache';
import { formatRef, groupResourceOf } from '../client';
import type { KubeObject, ObjectRef, ResourceDefinition } from '../client';
import type { Logger } from '../logging';
import { priorities } from '../queue';
import type { CacheLookup, Mapper } from './mappers';
import type { Predicate } from './predicates';

/** Where events end: nothing but a key and its urgency leaves a source. */
export interface EventSink {
  readonly cache: CacheLookup;
  readonly logger: Logger;
  enqueue(ref: ObjectRef, priority: number): void;
}

export interface EventSourceOptions<T extends KubeObject> {
  definition: ResourceDefinition<T>;
  mapper: Mapper<T>;
  predicates: readonly Predicate<T>[];
  resyncPeriodMs?: number;
}

/** Turns the events of one kind into keys of the objects to reconcile. */
export class EventSource<T extends KubeObject> {
  readonly definition: ResourceDefinition<T>;

  constructor(private readonly options: EventSourceOptions<T>) {
    this.definition = options.definition;
  }

  subscribe(cache: ResourceCache<T>, sink: EventSink): Subscription {
    const { resyncPeriodMs } = this.options;
    return cache.subscribe((event) => this.deliver(event, sink), resyncPeriodMs === undefined ? undefined : { resyncPeriodMs });
  }

  private deliver(event: CacheEvent<T>, sink: EventSink): void {
    try {
      if (!this.options.predicates.every((predicate) => predicate(event))) return;
      for (const ref of this.refs(event, sink.cache)) sink.enqueue(ref, priorityOf(event));
    } catch (error) {
      // Only a predicate or a mapper can throw here; the event is lost, and only its author can do something about it.
      sink.logger.error('predicate or mapper failed', { resource: groupResourceOf(this.definition), event: event.type, error });
    }
  }

  /** Each object once: a worker that waits takes the first add at once, and a second one would make it run again for nothing. */
  private refs(event: CacheEvent<T>, cache: CacheLookup): Iterable<ObjectRef> {
    const before = event.type === 'updated' ? this.options.mapper(event.before, cache) : [];
    const refs = [...before, ...this.options.mapper(event.object, cache)];
    return new Map(refs.map((ref) => [formatRef(ref), ref])).values();
  }
}

/** What was there already, and replays, can wait: somebody may be looking at what just changed. */
function priorityOf(event: CacheEvent<KubeObject>): number {
  const isOld = (event.type === 'added' && event.initial) || (event.type === 'updated' && event.resync);
  return isOld ? priorities.low : priorities.normal;
}
