export * from './idle-effects';
export * from './idle-judge';
export * from './idle-loop';
export * from './pressure';
export * from './ticker';
export * from './trouble-log';
