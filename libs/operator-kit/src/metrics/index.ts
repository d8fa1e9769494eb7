export * from './kit-metrics';
