export * from './faults';
export * from './kube-sim';
export * from './rbac';
export { RequestCounters } from './request-counters';
export * from './sim-clock';
export * from './sim-request';
