export * from './crd-directory.module';
export * from './elasti-directory';
