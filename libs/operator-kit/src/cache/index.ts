export * from './cache-access';
export * from './lister';
