export * from './address-pool';
export * from './address-range';
export * from './pod-network';
export * from './port-pool';
