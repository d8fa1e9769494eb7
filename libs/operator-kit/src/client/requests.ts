import type { KubeObject } from './kube-object';

export interface RequestOptions {
  signal?: AbortSignal;
  /** Limit of the whole call, retries included; of a watch, until the server answers. Without one, the client's default applies (30 s). */
  timeoutMs?: number;
}

export interface ScopeOptions extends RequestOptions {
  /** Absent: all namespaces (or the cluster scope). */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface ListOptions extends ScopeOptions {
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends ScopeOptions {
  resourceVersion?: string;
  resourceVersionMatch?: 'NotOlderThan';
  allowWatchBookmarks?: boolean;
  /** Ask for a streaming list (watch-list). */
  sendInitialEvents?: boolean;
  timeoutSeconds?: number;
  /** `omit`: metadata.managedFields are dropped while reading, where that is cheap to tell; some may still come. */
  managedFields?: 'omit';
}

export interface WriteOptions extends RequestOptions {
  dryRun?: boolean;
  fieldManager?: string;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** For writes whose answer nobody looks at: it is neither kept nor parsed. Failures are told as ever. */
export interface Unread {
  answer: 'unread';
}

export type Subresource = 'status' | 'scale';

export interface PatchOptions extends WriteOptions {
  subresource?: Subresource;
}

export interface ApplyOptions extends WriteOptions {
  fieldManager: string;
  /** Take over fields that another manager owns. */
  force?: boolean;
  subresource?: Subresource;
}

export interface DeleteOptions extends RequestOptions {
  preconditions?: { uid?: string; resourceVersion?: string };
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  gracePeriodSeconds?: number;
  dryRun?: boolean;
}

export interface JsonPatchOperation {
  op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  path: string;
  value?: unknown;
  from?: string;
}

export type Patch =
  { type: 'json'; operations: JsonPatchOperation[] } | { type: 'merge'; body: object } | { type: 'strategic'; body: object };

/** `autoscaling/v1` Scale: what every scale subresource speaks. */
export interface Scale extends KubeObject {
  spec: { replicas?: number };
  status?: { replicas: number; selector?: string };
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  /** Only its resourceVersion and the initial-events-end annotation mean anything. */
  | { type: 'BOOKMARK'; object: KubeObject };
