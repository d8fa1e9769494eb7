export type { EventSubject } from './counted-event';
export * from './event-recorder';
export type { EventSenderParts } from './event-sender';
export * from './object-events';
