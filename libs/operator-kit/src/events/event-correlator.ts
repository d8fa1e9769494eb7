import type { Clock } from '../clock';
import { type CountedEvent, type Regarding, nameEvent } from './counted-event';
import { cutText } from './cut-text';
import { LruMap } from './lru-map';
import type { EventNote } from './object-events';
import { TokenBucket } from './token-bucket';

const maxRemembered = 4096;
const similarLimit = 10;
const similarWindowMs = 10 * 60_000;
const burstPerObject = 25;
const refillPerObjectMs = 5 * 60_000;
const maxNoteBytes = 1024;
const combinedPrefix = '(combined from similar events): ';

/**
 * Decides what becomes of an event: counted on one that is there, combined with similar ones, written anew, or refused.
 *
 * Remembers a bounded number of objects and events; forgetting one only means that a repetition is written as a new event.
 */
export class EventCorrelator {
  private readonly budgets = new LruMap<string, TokenBucket>(maxRemembered);
  private readonly recentNotes = new LruMap<string, Map<string, number>>(maxRemembered);
  private readonly events = new LruMap<string, CountedEvent>(maxRemembered);

  constructor(private readonly clock: Clock) {}

  /** The event to write, its count raised; or undefined when its object has had too many. */
  observe(regarding: Regarding, event: Required<EventNote>): CountedEvent | undefined {
    const object = [regarding.apiVersion, regarding.kind, regarding.namespace, regarding.name, regarding.uid];
    const budget = this.budgets.getOrAdd(JSON.stringify(object), () => new TokenBucket(this.clock, burstPerObject, refillPerObjectMs));
    if (!budget.tryTake()) return undefined;

    const similar = [...object, event.type, event.reason, event.action];
    const isCombined = this.isOneOfTooMany(JSON.stringify(similar), event.note);
    const key = JSON.stringify([...similar, isCombined ? 'combined' : 'single', isCombined ? '' : event.note]);
    const note = cutText(isCombined ? combinedPrefix + event.note : event.note, maxNoteBytes);
    const counted = this.events.getOrAdd(key, () => this.begin(regarding, { ...event, note }));
    counted.count += 1;
    counted.lastSeenMs = this.clock.now();
    return counted;
  }

  private isOneOfTooMany(similarKey: string, note: string): boolean {
    const nowMs = this.clock.monotonic();
    const seenAtMs = this.recentNotes.getOrAdd(similarKey, () => new Map());
    for (const [seen, atMs] of seenAtMs) if (nowMs - atMs > similarWindowMs) seenAtMs.delete(seen);

    if (!seenAtMs.has(note) && seenAtMs.size >= similarLimit) return true;
    seenAtMs.set(note, nowMs);
    return false;
  }

  private begin(regarding: Regarding, event: Required<EventNote>): CountedEvent {
    const nowMs = this.clock.now();
    return {
      regarding,
      event,
      name: nameEvent(regarding),
      firstSeenMs: nowMs,
      lastSeenMs: nowMs,
      count: 0,
      written: false,
      serverErrors: 0,
    };
  }
}
