export { ContainerConfigError, expandReferences } from './container-env';
export * from './kubelet';
export * from './memory-runtime';
export * from './node';
export * from './pod-environments';
export * from './pod-runtime';
export * from './scheduler';
export { variableName } from './service-links';
