export * from './clock';
export * from './micro-time';
export * from './with-timeout';
