export * from './cache';
export * from './client';
export * from './clock';
export * from './conditions';
export * from './controller';
export * from './crd';
// The decorated class of that shape, to be used where the bare interface is, and in status classes too.
export { Condition } from './crd';
export * from './ensure';
export * from './events';
export * from './finalizer';
export * from './leader-election';
export * from './logging';
export * from './manager';
export * from './metrics';
export * from './owners';
export * from './queue';
export * from './webhook';
