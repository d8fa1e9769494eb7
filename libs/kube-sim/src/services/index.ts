export * from './service-listeners';
export * from './cluster-addresses';
