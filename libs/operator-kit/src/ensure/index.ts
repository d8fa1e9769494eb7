export * from './covers';
export * from './ensure';
