import type { Deployment, Frozen, Service } from '@elasti/operator-kit';
import type { WebApp } from './webapp';

export const phases = ['Created', 'Reconciling', 'WaitingForPods', 'Ready', 'Scaling', 'Deleting'] as const;
export type Phase = (typeof phases)[number];

export interface Observed {
  deployment?: Frozen<Deployment>;
  service?: Frozen<Service>;
}

/** Where a WebApp is in its life: a pure function of what is observed, so that no phase is ever remembered wrongly. */
export function decidePhase(app: Frozen<WebApp>, { deployment, service }: Observed): Phase {
  if (app.metadata.deletionTimestamp) return 'Deleting';
  if (!deployment && !service) return 'Created';
  if (!deployment || !service || !followsSpec(app, deployment)) return 'Reconciling';

  const { availableReplicas = 0, updatedReplicas = 0, replicas = 0, observedGeneration = 0 } = deployment.status ?? {};
  const wanted = app.spec.replicas;
  const isCurrent = observedGeneration >= (deployment.metadata.generation ?? 0);
  if (isCurrent && availableReplicas === wanted && updatedReplicas === wanted && replicas === wanted) return 'Ready';
  return availableReplicas === 0 ? 'WaitingForPods' : 'Scaling';
}

function followsSpec(app: Frozen<WebApp>, deployment: Frozen<Deployment>): boolean {
  const container = deployment.spec?.template.spec?.containers[0];
  return deployment.spec?.replicas === app.spec.replicas && container?.image === app.spec.image;
}
