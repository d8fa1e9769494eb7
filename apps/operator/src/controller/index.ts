export * from './idle-reports';
export * from './waker';
