export * from './clock';
export * from './in-flight-limit';
export * from './micro-time';
export * from './with-timeout';
