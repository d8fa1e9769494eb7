export * from './probe-responses';
