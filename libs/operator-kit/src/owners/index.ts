export * from './owner-reference';
export * from './owner.errors';
