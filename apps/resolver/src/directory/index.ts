export * from './known-service';
export * from './service-directory';
export * from './service-listeners';
export * from './service-map';
