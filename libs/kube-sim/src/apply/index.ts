export { ApplyConflict, ApplySchemaError } from './apply.errors';
export { serverSideApply } from './server-side-apply';
export { trackUpdate } from './track-update';
