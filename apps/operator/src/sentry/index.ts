export * from './report-errors';
