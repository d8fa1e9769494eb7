import { randomBytes } from 'node:crypto';
import { type Event, Event as EventDefinition, apiVersionOf } from '../client';
import { formatMicroTime } from '../clock';
import type { EventNote } from './object-events';

/** As much of an object as an event needs. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace?: string; readonly name?: string; readonly uid?: string };
}

/** What an event is about. */
export interface Regarding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** One Event object of the cluster: how often it was seen, and whether it has been written yet. */
export interface CountedEvent {
  readonly regarding: Regarding;
  readonly event: Required<EventNote>;
  /** Of the Event object itself. */
  readonly name: string;
  readonly firstSeenMs: number;
  lastSeenMs: number;
  count: number;
  written: boolean;
  /** Tries in a row that ended in an error of the server. */
  serverErrors: number;
}

export interface Reporter {
  readonly controller: string;
  readonly instance: string;
}

const maxNameLength = 253;

export function regardingOf({ apiVersion, kind, metadata }: EventSubject): Regarding {
  return { apiVersion, kind, namespace: metadata.namespace, name: metadata.name ?? '', uid: metadata.uid };
}

/** Events of cluster-scoped objects live in `default`: the API server takes them nowhere else. */
export function namespaceOf({ namespace }: Regarding): string {
  return namespace ?? 'default';
}

/** Names of some kinds may hold characters that an Event's may not. */
export function nameEvent({ name, kind }: Regarding): string {
  const suffix = `.${randomBytes(8).toString('hex')}`;
  const stem = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) ? name : kind.toLowerCase();
  return stem.slice(0, maxNameLength - suffix.length).replace(/[-.]+$/, '') + suffix;
}

export function buildEvent(counted: CountedEvent, reporter: Reporter): Event {
  const { regarding, event, name, firstSeenMs } = counted;
  return {
    apiVersion: apiVersionOf(EventDefinition),
    kind: EventDefinition.kind,
    metadata: { namespace: namespaceOf(regarding), name },
    eventTime: formatMicroTime(firstSeenMs),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance,
    regarding: { ...regarding },
    ...event,
    ...(counted.count > 1 && { series: buildSeries(counted) }),
  };
}

export function buildSeries({ count, lastSeenMs }: CountedEvent): NonNullable<Event['series']> {
  return { count, lastObservedTime: formatMicroTime(lastSeenMs) };
}
