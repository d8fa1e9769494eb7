export * from './ingress';
export * from './informer.module';
export * from './informers';
export * from './target-ref';
export * from './workload';
