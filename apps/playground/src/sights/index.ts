export * from './demo-watch';
export { readFigures, type ResolverFigures } from './resolver-figures';
export * from './service-sight';
