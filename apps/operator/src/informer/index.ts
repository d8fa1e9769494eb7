export * from './informers';
export * from './target-ref';
export * from './workload';
