export * from './allocate-ports';
export * from './port-range';
export * from './route';
export * from './route-shard';
