export * from './controller.module';
export * from './idle-reports';
export * from './target-scales';
export * from './waker';
