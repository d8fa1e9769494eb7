export * from './admission';
export {
  type BundleTarget,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  type WebhookConfiguration,
} from './bundle-targets';
export { BadCertificateError, type CertificateSource, type ServingCertificate } from './certificate-source';
export type { CertificateFiles } from './certificate-files';
export { FileCertificates, type FileCertificateOptions } from './file-certificates';
export { SelfSignedCertificates, type SelfSignedOptions } from './self-signed-certificates';
export { WebhookServer, type WebhookServerOptions } from './webhook-server';
