export type { RouteIdentity } from './route-claim';
export * from './route-listeners';
export { RouteTable } from './route-table';
export * from './service-host';
export * from './shared-port';
