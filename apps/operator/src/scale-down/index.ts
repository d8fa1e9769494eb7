export * from './decide-idle';
export * from './schedule';
export * from './triggers';
