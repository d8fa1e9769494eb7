export * from './health-indicators';
export * from './inject-lister';
export * from './kit-logger.service';
export * from './operator-kit.module';
export type { FailureListener, OperatorKitModuleAsyncOptions, OperatorKitModuleOptions } from './operator-kit.options';
