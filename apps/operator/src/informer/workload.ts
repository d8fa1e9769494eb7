import type { KubeObject } from '@elasti/operator-kit';
import { slimMeta } from './slim-objects';

/** What the operator keeps of a Deployment, StatefulSet, Rollout or any other kind that can be scaled. */
export interface Workload extends KubeObject {
  spec?: { replicas?: number };
  status?: WorkloadStatus;
}

export interface WorkloadStatus {
  /** Argo: `Healthy`, `Progressing`, `Degraded`, `Paused`. */
  phase?: string;
}

/** Pod templates are most of a workload and of no use here; with thousands of services they would fill the memory. */
export function slimWorkload(object: KubeObject & { spec?: unknown; status?: unknown }): Workload {
  const { replicas } = (object.spec ?? {}) as { replicas?: number };
  const { phase } = (object.status ?? {}) as WorkloadStatus;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: slimMeta(object.metadata),
    spec: { replicas },
    ...(phase !== undefined && { status: { phase } }),
  };
}
