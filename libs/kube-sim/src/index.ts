export * from './faults';
export * from './kube-sim';
export { MemoryRuntime } from './kubelet';
export type {
  MemoryRuntimeSettings,
  NodeSettings,
  PodAddresses,
  PodFilter,
  PodReadiness,
  PodReports,
  PodRuntime,
  PodToRun,
} from './kubelet';
export * from './rbac';
export { RequestCounters } from './request-counters';
export type { TlsMaterial } from './self-signed';
export * from './sim-clock';
export * from './sim-request';
export type { WorkloadSettings } from './workloads';
