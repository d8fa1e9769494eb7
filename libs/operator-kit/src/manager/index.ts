export * from './controller-manager';
export * from './health-checks';
export * from './manager.errors';
export { runUntilSignal } from './process-signals';
export type { SignalSource } from './process-signals';
export type { ListenOptions } from './http-listener';
export type { ReplicaRunnable } from './start-step';
export type { StoppableCaches } from './managed-caches';
