export * from './logger';
export * from './silent-logger';
