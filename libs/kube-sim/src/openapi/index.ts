export { openApiV2, openApiV3, openApiV3Index } from './documents';
export { groupVersionOf } from './served-kind';
export type { ServedKind } from './served-kind';
