export * from './finalizer';
