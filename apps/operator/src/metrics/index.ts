export * from './counted-caches';
export * from './informer.metrics';
export * from './metrics.module';
export * from './operator.metrics';
