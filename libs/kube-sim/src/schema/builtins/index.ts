export * from './builtin-schema';
export { decodeBuiltin } from './decoding';
export { defaultBuiltin } from './defaults';
export { validateBuiltin } from './rules';
export * from './type-table';
