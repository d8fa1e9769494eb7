export * from './http-listeners';
export * from './http.module';
export * from './listen';
