export * from './metrics.module';
export * from './traffic-meter';
