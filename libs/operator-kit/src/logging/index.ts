export * from './json-logger';
export * from './logger';
export * from './silent-logger';
