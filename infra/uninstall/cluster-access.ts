import type { Installed, Manifest } from './installed-objects';

/** As much of an ElastiService as its removal tells of. */
export interface ElastiServiceView {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string; readonly name: string };
    readonly mode?: string;
    readonly autoscaler?: { readonly type: string; readonly name: string };
  };
  readonly status?: { readonly mode?: string };
}

/** How the target of an ElastiService stands. */
export interface TargetView {
  /** `back`: it has a ready pod, or KEDA keeps it at zero by itself, or there is no such target; `at zero`: nobody is about to bring it back. */
  readonly state: 'back' | 'not ready' | 'at zero';
  readonly words: string;
}

/** Whoever uninstalls may not do that. */
export class ForbiddenError extends Error {
  override readonly name = 'ForbiddenError';
}

/** What an uninstallation does to a cluster. Each throws ForbiddenError where the permission is missing. */
export interface ClusterAccess {
  /** Those of the namespaces, or of all where none is named; none at all without their CRD. */
  elastiServices(namespaces: readonly string[]): Promise<readonly ElastiServiceView[]>;
  /** Asks for their deletion and does not wait for it. */
  deleteElastiServices(services: readonly ElastiServiceView[]): Promise<void>;
  /** How many operators are available to bring targets back. */
  readyOperators(installed: Installed): Promise<number>;
  /** How their targets stand, in the same order. */
  targetsOf(services: readonly ElastiServiceView[]): Promise<readonly TargetView[]>;
  /** Deletes these programs, and waits until their last pod is gone. */
  stop(programs: readonly Manifest[], timeoutSeconds: number): Promise<void>;
  /** What runs in a namespace or keeps its state there, in the words of kubectl. */
  workloadsIn(namespace: string): Promise<readonly string[]>;
  /** Deletes what is there of these, and waits until they are gone. */
  remove(objects: readonly Manifest[], timeoutSeconds: number): Promise<void>;
}
