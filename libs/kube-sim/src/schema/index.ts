export * from './builtins';
export * from './crd';
export * from './json';
export * from './type-schema';
export * from './validation';
