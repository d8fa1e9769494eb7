export * from './builtin-schema';
export * from './type-table';
