import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency } from '@nestjs/common';
import type { ClientOptions, KubeClient, KubeConfigOptions } from '../client';
import type { ControllerManagerOptions } from '../manager';

/** Called once when the manager has stopped by itself: a controller failed, or the lease is lost. */
export type FailureListener = (error: unknown) => void;

export interface OperatorKitModuleOptions extends Omit<ControllerManagerOptions, 'client' | 'caches'> {
  /** A client of your own, which you close yourself; or how to make one. Default: from the kubeconfig or the pod's service account. */
  client?: KubeClient | (KubeConfigOptions & ClientOptions);
  /** Default: ends the process by SIGTERM, so that Nest's shutdown hooks run, with a failing exit code. */
  onFailure?: FailureListener;
}

export interface OperatorKitModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  useFactory(...dependencies: unknown[]): OperatorKitModuleOptions | Promise<OperatorKitModuleOptions>;
}

export const optionsToken = Symbol('OperatorKitModuleOptions');
