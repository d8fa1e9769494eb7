export * from './builtins';
export * from './json';
export * from './type-schema';
