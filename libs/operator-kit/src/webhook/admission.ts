import type { KubeObject } from '../client';

export interface GroupVersionKind {
  group: string;
  version: string;
  kind: string;
}

export interface GroupVersionResource {
  group: string;
  version: string;
  resource: string;
}

export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

/** What the API server asks about one write (`admission.k8s.io/v1`). */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  uid: string;
  kind: GroupVersionKind;
  resource: GroupVersionResource;
  subResource?: string;
  requestKind?: GroupVersionKind;
  name?: string;
  namespace?: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  userInfo: UserInfo;
  /** Absent on DELETE. */
  object?: T;
  /** The state before: on UPDATE and DELETE. */
  oldObject?: T;
  /** Nothing will be stored: a handler with effects of its own must leave them out. */
  dryRun: boolean;
  options?: Record<string, unknown>;
}

interface Remarks {
  /** Shown to the client, each at most 256 characters long; they never refuse anything. */
  warnings?: string[];
  auditAnnotations?: Record<string, string>;
}

/** What a handler makes of a request. */
export type Verdict =
  | (Remarks & { outcome: 'allowed' })
  | (Remarks & { outcome: 'replaced'; object: KubeObject })
  | (Remarks & { outcome: 'denied'; message: string; code: number; reason: string });

/**
 * Decides about one write. The signal fires when nobody waits for the answer any more.
 *
 * Throwing is not denying: the API server then does what the webhook's failurePolicy says.
 */
export type AdmissionHandler<T extends KubeObject = KubeObject> = (
  request: AdmissionRequest<T>,
  signal: AbortSignal,
) => Verdict | Promise<Verdict>;

export function allow(remarks: Remarks = {}): Verdict {
  return { ...remarks, outcome: 'allowed' };
}

/** Default: 403 Forbidden. */
export function deny(
  message: string,
  { code = 403, reason = 'Forbidden', ...remarks }: Remarks & { code?: number; reason?: string } = {},
): Verdict {
  return { ...remarks, outcome: 'denied', message, code, reason };
}

/** For mutating webhooks: allowed, with this object in place of the one that was sent. */
export function replaceWith(object: KubeObject, remarks: Remarks = {}): Verdict {
  return { ...remarks, outcome: 'replaced', object };
}

/** Brings an object of one version into another (`spec.conversion` of a CRD). Metadata must come out as it went in, but for labels and annotations. */
export type Converter = (object: KubeObject, desiredApiVersion: string, signal: AbortSignal) => KubeObject | Promise<KubeObject>;
