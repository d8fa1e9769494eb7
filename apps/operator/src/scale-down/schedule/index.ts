export * from './cron';
export * from './enabled-period';
export * from './go-duration';
export * from './period-memory';
export * from './previous-start';
export * from './schedule.errors';
export * from './time-zone';
