import type { Installed, Manifest } from './installed-objects';

/** As much of an ElastiService as its removal tells of. */
export interface ElastiServiceView {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly scaleTargetRef: { readonly apiVersion: string; readonly kind: string; readonly name: string } };
  readonly status?: { readonly mode?: string };
}

/** What an uninstallation does to a cluster. */
export interface ClusterAccess {
  /** Those of the namespaces, or of all where none is named; none at all without their CRD. */
  elastiServices(namespaces: readonly string[]): Promise<readonly ElastiServiceView[]>;
  /** Asks for their deletion and does not wait for it. */
  deleteElastiServices(services: readonly ElastiServiceView[]): Promise<void>;
  /** How many operators are available to bring targets back. */
  readyOperators(installed: Installed): Promise<number>;
  /** How its target stands, in words. */
  targetState(service: ElastiServiceView): Promise<string>;
  /** Deletes these programs, and waits until their last pod is gone. */
  stop(programs: readonly Manifest[], timeoutSeconds: number): Promise<void>;
  /** Deletes what is there of these, and waits until they are gone. */
  remove(objects: readonly Manifest[], timeoutSeconds: number): Promise<void>;
}
