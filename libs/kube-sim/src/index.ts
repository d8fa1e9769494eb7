export * from './faults';
export * from './kube-sim';
export { MemoryRuntime } from './kubelet';
export type {
  MemoryRuntimeSettings,
  NodeSettings,
  PodAddresses,
  PodEnvironment,
  PodFilter,
  PodReadiness,
  PodReports,
  PodRuntime,
  PodToRun,
  ServiceAddress,
} from './kubelet';
export type { LoopbackEndpoints, PodNetwork } from './network';
export * from './pod-log';
export * from './processes';
export * from './rbac';
export { RequestCounters } from './request-counters';
export type { TlsMaterial } from './self-signed';
export * from './sim-clock';
export * from './sim-request';
export type { RefusedPort, ServiceListenerSettings } from './services';
export type { WorkloadSettings } from './workloads';
