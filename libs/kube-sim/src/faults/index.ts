export * from './fault-switches';
