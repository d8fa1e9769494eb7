import type { KubeObject } from '@elasti/operator-kit';

/** What the operator keeps of a Deployment, StatefulSet, Rollout or any other kind that can be scaled. */
export interface Workload extends KubeObject {
  spec?: { replicas?: number };
  status?: WorkloadStatus;
}

export interface WorkloadStatus {
  replicas?: number;
  readyReplicas?: number;
  /** Argo: `Healthy`, `Progressing`, `Degraded`, `Paused`. */
  phase?: string;
  message?: string;
}

/** Pod templates are most of a workload and of no use here; with thousands of services they would fill the memory. */
export function slimWorkload(object: KubeObject & { spec?: unknown; status?: unknown }): Workload {
  const { namespace, name, uid, resourceVersion, generation, deletionTimestamp, creationTimestamp } = object.metadata;
  const { replicas } = (object.spec ?? {}) as { replicas?: number };
  const { replicas: observed, readyReplicas, phase, message } = (object.status ?? {}) as WorkloadStatus;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { namespace, name, uid, resourceVersion, generation, creationTimestamp, ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { replicas },
    status: { replicas: observed, readyReplicas, ...(phase !== undefined && { phase, message }) },
  };
}

/** Nobody reads these of a Service or a slice. */
export function slimObject<T extends KubeObject & { status?: object }>(object: T): T {
  delete object.metadata.managedFields;
  delete object.status;
  if (object.metadata.annotations) delete object.metadata.annotations['kubectl.kubernetes.io/last-applied-configuration'];
  return object;
}
