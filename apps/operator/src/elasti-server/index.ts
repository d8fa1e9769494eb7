export * from './elasti-server.module';
