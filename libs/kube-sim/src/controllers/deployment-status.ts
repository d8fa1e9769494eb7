import { isoSeconds } from '../sim-clock';
import { type JsonObject, type StoredObject } from '../store';
import { conditionOf } from './pod-state';
import { type RolloutStrategy } from './rollout-plan';
import { numberIn, replicasOf, statusOf, withoutZeros } from './workload-object';

export interface DeploymentState {
  readonly deployment: StoredObject;
  readonly current?: StoredObject;
  readonly old: readonly StoredObject[];
  readonly strategy: RolloutStrategy;
  readonly collisions: number;
  readonly nowMs: number;
}

/** What a Deployment's status should say of its ReplicaSets. */
export function buildDeploymentStatus(state: DeploymentState): JsonObject {
  const { deployment, current, old, collisions } = state;
  const all = [...old, ...(current ? [current] : [])].map(statusOf);
  const total = (field: string): number => all.reduce((sum, status) => sum + numberIn(status, field), 0);
  const counts = {
    replicas: total('replicas'),
    updatedReplicas: current ? numberIn(statusOf(current), 'replicas') : 0,
    readyReplicas: total('readyReplicas'),
    availableReplicas: total('availableReplicas'),
  };
  return {
    ...withoutZeros({
      observedGeneration: numberIn(deployment.metadata, 'generation'),
      ...counts,
      unavailableReplicas: Math.max(0, wantedBy(state) - counts.availableReplicas),
      collisionCount: collisions,
    }),
    terminatingReplicas: total('terminatingReplicas'),
    conditions: [availability(state, counts.availableReplicas), progress(state, counts)],
  };
}

const wantedBy = ({ current, old }: DeploymentState): number =>
  [...old, ...(current ? [current] : [])].reduce((sum, replicaSet) => sum + replicasOf(replicaSet), 0);

function availability(state: DeploymentState, available: number): JsonObject {
  const { deployment, strategy } = state;
  const allowedMissing = strategy.kind === 'rolling' ? strategy.unavailable : 0;
  const isMet = available >= replicasOf(deployment) - allowedMissing;
  return condition(state, {
    type: 'Available',
    status: isMet ? 'True' : 'False',
    reason: isMet ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: isMet ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
  });
}

interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly availableReplicas: number;
}

function progress(state: DeploymentState, { replicas, updatedReplicas, availableReplicas }: Counts): JsonObject {
  const { deployment, current } = state;
  const known = conditionOf(deployment, 'Progressing');
  // Scaling a Deployment whose rollout is over is no progress of a rollout.
  if (known?.reason === 'NewReplicaSetAvailable' && replicas === updatedReplicas && namesCurrent(known, current)) return known;
  const wanted = replicasOf(deployment);
  const isComplete = updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
  const name = `"${current?.name ?? ''}"`;
  return condition(state, {
    type: 'Progressing',
    status: 'True',
    reason: isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
    message: isComplete ? `ReplicaSet ${name} has successfully progressed.` : `ReplicaSet ${name} is progressing.`,
  });
}

const namesCurrent = ({ message }: JsonObject, current?: StoredObject): boolean =>
  current !== undefined && typeof message === 'string' && message.includes(`"${current.name}"`);

function condition({ deployment, nowMs }: DeploymentState, said: JsonObject & { type: string }): JsonObject {
  const known = conditionOf(deployment, said.type);
  if (known && known.status === said.status && known.reason === said.reason && known.message === said.message) return known;
  const lastUpdateTime = isoSeconds(nowMs);
  const isSameStatus = known !== undefined && known.status === said.status;
  const lastTransitionTime = (isSameStatus ? known.lastTransitionTime : undefined) ?? lastUpdateTime;
  return { ...said, lastUpdateTime, lastTransitionTime };
}
