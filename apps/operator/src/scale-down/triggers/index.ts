export * from './prometheus-client';
export * from './prometheus-metadata';
export * from './prometheus-server';
export * from './prometheus-trigger';
export * from './query-round';
export * from './query-transport';
export * from './trigger-outcome';
export * from './undici-transport';
