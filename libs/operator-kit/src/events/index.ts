export * from './object-events';
