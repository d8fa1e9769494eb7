export * from './private-services';
export * from './ready-pod';
export * from './ready-pods';
