export * from './traffic-ports';
export * from './traffic.module';
