export * from './faults';
export * from './kube-sim';
export * from './rbac';
export { RequestCounters } from './request-counters';
export type { TlsMaterial } from './self-signed';
export * from './sim-clock';
export * from './sim-request';
