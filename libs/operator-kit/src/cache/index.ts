export * from './lister';
