export { CrdSchema } from './crd-schema';
export { validateCrd } from './crd-validation';
export type { OpenApiSchema } from './open-api-schema';
export { asOpenApiSchema } from './open-api-schema';
export { schemaFromOpenApi } from './schema-from-open-api';
