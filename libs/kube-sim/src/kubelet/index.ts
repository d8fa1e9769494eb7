export * from './kubelet';
export * from './memory-runtime';
export * from './node';
export * from './pod-runtime';
export * from './scheduler';
