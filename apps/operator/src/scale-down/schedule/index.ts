export * from './cron';
export * from './enabled-period';
export * from './go-duration';
export * from './previous-start';
export * from './schedule.errors';
export * from './time-zone';
