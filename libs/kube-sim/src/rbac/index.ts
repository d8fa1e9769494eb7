export * from './rule-table';
