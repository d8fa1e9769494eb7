export { ApplyConflict, ApplySchemaError } from './apply.errors';
export type { ConflictCause } from './apply.errors';
export { serverSideApply } from './server-side-apply';
export type { ApplyRequest } from './server-side-apply';
export { trackUpdate } from './track-update';
export type { UpdateRequest } from './track-update';
