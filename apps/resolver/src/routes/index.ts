export * from './net-port-opener';
export type { RouteIdentity } from './route-claim';
export * from './route-listeners';
export { RouteTable, type RouteState } from './route-table';
export * from './service-host';
export * from './shared-port';
