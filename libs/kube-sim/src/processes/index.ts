export * from './process-runtime';
