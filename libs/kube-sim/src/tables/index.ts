export { humanDuration } from './human-duration';
export { findByPath } from './json-path';
export { toTable } from './to-table';
export type { IncludeObject, TableRequest } from './to-table';
