export * from './event-recorder';
export * from './object-events';
