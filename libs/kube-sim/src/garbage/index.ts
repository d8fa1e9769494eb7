export * from './crd-lifecycle';
export * from './namespace-lifecycle';
export * from './owner-collector';
export { WorkList } from './work-list';
