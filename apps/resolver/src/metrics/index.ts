export * from './metrics.module';
export * from './timed-waker';
export * from './traffic-meter';
export * from './traffic-metrics';
