export * from './operator.metrics';
