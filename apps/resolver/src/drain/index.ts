export * from './drain';
export * from './drain.module';
