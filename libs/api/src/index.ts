export * from './elasti-service';
export * from './probe-response';
export * from './trigger';
export * from './resolver-api';
export * from './spec-defaults';
