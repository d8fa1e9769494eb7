import { type SimClock, isoSeconds } from '../sim-clock';
import { type JsonObject, type StoredObject, asArray, asObject, asString, sameJson } from '../store';
import { ControlLoop } from './control-loop';
import { type ControlledObjects, controllerOf } from './controlled-objects';
import { type ObjectAccess } from './object-access';
import { conditionOf, hasEnded, isActive, isReady, isTerminating, msUntilAvailable } from './pod-state';
import { buildPod } from './pod-template';
import { PODS, REPLICA_SETS } from './storage-ids';
import { numberIn, replicasOf, specOf, statusOf, withoutZeros } from './workload-object';

/** Keeps as many pods of a ReplicaSet as it asks for, and says in its status how they are. */
export class ReplicaSetController {
  private readonly loop: ControlLoop;
  private readonly stopListening: () => void;

  constructor(
    private readonly access: ObjectAccess,
    private readonly pods: ControlledObjects,
    private readonly clock: SimClock,
  ) {
    this.loop = new ControlLoop(clock, (key) => {
      this.reconcile(key);
    });
    this.stopListening = access.store.listen((storageId, { object }) => {
      if (storageId === REPLICA_SETS) this.loop.add(object.key);
      if (storageId !== PODS) return;
      const controller = controllerOf(object);
      if (controller?.kind === 'ReplicaSet') this.loop.add(`${object.namespace}/${controller.name}`);
    });
  }

  stop(): void {
    this.stopListening();
    this.loop.stop();
  }

  private reconcile(key: string): void {
    const replicaSet = this.access.get(REPLICA_SETS, key);
    if (!replicaSet) return;
    try {
      if (!isTerminating(replicaSet)) this.adjust(replicaSet);
    } catch (error) {
      this.report(replicaSet, error);
      throw error;
    }
    this.report(replicaSet);
  }

  private adjust(replicaSet: StoredObject): void {
    const active = this.pods.of(replicaSet.uid).filter(isActive);
    const missing = replicasOf(replicaSet) - active.length;
    const template = asObject(specOf(replicaSet).template);
    for (let count = 0; count < missing; count++) {
      this.access.create(PODS, replicaSet.namespace, buildPod(replicaSet, template, { generateName: `${replicaSet.name}-` }));
    }
    if (missing < 0) for (const pod of active.sort(compareByWorth).slice(0, -missing)) this.access.delete(PODS, pod);
  }

  private report(replicaSet: StoredObject, failure?: unknown): void {
    const status = this.desiredStatus(replicaSet, failure);
    if (!sameJson(status, statusOf(replicaSet))) this.access.replaceStatus(REPLICA_SETS, replicaSet, status);
  }

  private desiredStatus(replicaSet: StoredObject, failure: unknown): JsonObject {
    const pods = this.pods.of(replicaSet.uid);
    const active = pods.filter(isActive);
    const minReadySeconds = numberIn(specOf(replicaSet), 'minReadySeconds');
    const waits = active.flatMap((pod) => msUntilAvailable(pod, minReadySeconds, this.clock.nowMs()) ?? []);
    const pending = waits.filter((waitMs) => waitMs > 0);
    if (pending.length > 0) this.loop.addAfter(replicaSet.key, Math.min(...pending));
    const conditions = this.conditions(replicaSet, failure);
    return {
      ...withoutZeros({
        fullyLabeledReplicas: active.length,
        readyReplicas: active.filter(isReady).length,
        availableReplicas: waits.length - pending.length,
        observedGeneration: numberIn(replicaSet.metadata, 'generation'),
        conditions: conditions.length === 0 ? undefined : conditions,
      }),
      replicas: active.length,
      terminatingReplicas: pods.filter((pod) => isTerminating(pod) && !hasEnded(pod)).length,
    };
  }

  private conditions(replicaSet: StoredObject, failure: unknown): JsonObject[] {
    const others = asArray(statusOf(replicaSet).conditions)
      .map(asObject)
      .filter(({ type }) => type !== 'ReplicaFailure');
    if (!(failure instanceof Error)) return others;
    const said = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: failure.message };
    const known = conditionOf(replicaSet, 'ReplicaFailure');
    const lastTransitionTime = asString(known?.lastTransitionTime) || isoSeconds(this.clock.nowMs());
    return [...others, { ...said, lastTransitionTime }];
  }
}

/** The pods that are missed least come first: not yet bound, not ready, young. */
function compareByWorth(left: StoredObject, right: StoredObject): number {
  return worth(left) - worth(right) || right.resourceVersion - left.resourceVersion;
}

function worth(pod: StoredObject): number {
  if (asString(specOf(pod).nodeName) === '') return 0;
  return isReady(pod) ? 2 : 1;
}
