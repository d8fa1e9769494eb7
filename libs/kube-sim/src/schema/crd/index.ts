export { CrdSchema } from './crd-schema';
export { validateCrd } from './crd-validation';
export { asOpenApiSchema } from './open-api-schema';
