export * from './http-listeners';
export * from './http-problem';
export * from './http.module';
export * from './listen';
export * from './sparse-log';
