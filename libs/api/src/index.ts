export * from './elasti-service';
export * from './probe-response';
export * from './trigger';
export * from './resolver-api';
export * from './route-lines';
export * from './spec-defaults';
