export * from './informer.module';
export * from './informers';
