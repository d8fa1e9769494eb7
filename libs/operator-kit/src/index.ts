export * from './cache';
export * from './client';
export * from './clock';
export * from './controller';
export * from './crd';
// The decorated class of that shape, to be used where the bare interface is, and in status classes too.
export { Condition } from './crd';
export * from './events';
export * from './logging';
export * from './metrics';
