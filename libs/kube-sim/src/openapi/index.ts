export { openApiV2, openApiV3, openApiV3Index } from './documents';
export type { ServedKind } from './served-kind';
