export { toTable } from './to-table';
export type { IncludeObject } from './to-table';
