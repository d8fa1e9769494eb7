export * from './body-limit';
export * from './internal-server';
export * from './internal-server.module';
