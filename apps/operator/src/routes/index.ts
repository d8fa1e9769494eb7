export * from './allocate-ports';
export * from './port-range';
export * from './route';
export { RouteBook, restMs } from './route-book';
export * from './route-ledger';
export * from './route-shard';
export { RoutesContestedError } from './route-writer';
export * from './routes.module';
export type { ShardAccess } from './shard.ops';
