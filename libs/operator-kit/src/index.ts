export * from './cache';
export * from './client';
export * from './clock';
export * from './controller';
export * from './events';
export * from './logging';
export * from './metrics';
