export * from './collection';
export * from './json';
export * from './object-store';
export * from './store.errors';
export * from './stored-object';
