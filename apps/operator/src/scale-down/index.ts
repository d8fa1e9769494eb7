export * from './decide-idle';
export * from './dry-run';
export * from './loop';
export * from './scale-down.module';
export * from './schedule';
export * from './triggers';
