export { CrdSchema } from './crd-schema';
export type { OpenApiSchema } from './open-api-schema';
export { asOpenApiSchema } from './open-api-schema';
export { schemaFromOpenApi } from './schema-from-open-api';
