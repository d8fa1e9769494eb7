export * from './builtins';
export * from './kube-access';
export * from './kube-object';
export * from './kube.errors';
export * from './requests';
export * from './resource-definition';
