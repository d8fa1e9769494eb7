import { type SimClock } from '../sim-clock';
import { type JsonObject, type StoredObject, asObject, asString, sameJson } from '../store';
import { ControlLoop } from './control-loop';
import { type ControlledObjects, controllerOf } from './controlled-objects';
import { type ObjectAccess } from './object-access';
import { hasEnded, isReady, isTerminating, msUntilAvailable } from './pod-state';
import { TemplateHashes } from './pod-template';
import { REVISION_LABEL, buildClaims, buildStatefulPod, ordinalOf, podNamesOf } from './stateful-pods';
import { CLAIMS, PODS, STATEFUL_SETS } from './storage-ids';
import { numberIn, specOf, statusOf, withoutZeros } from './workload-object';

/**
 * Keeps the numbered pods of a StatefulSet: made in order, each once those before it are ready, and ended from the last.
 *
 * With the Parallel policy the order does not count. An update replaces pods from the last to the partition, one at a
 * time; a pod that is made anew always gets the newest template, and revisions have names but no objects.
 */
export class StatefulSetController {
  private readonly loop: ControlLoop;
  private readonly hashes = new TemplateHashes();
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
      if (storageId === STATEFUL_SETS) this.loop.add(object.key);
      if (storageId !== PODS) return;
      const controller = controllerOf(object);
      if (controller?.kind === 'StatefulSet') this.loop.add(`${object.namespace}/${controller.name}`);
    });
  }

  stop(): void {
    this.stopListening();
    this.loop.stop();
  }

  private reconcile(key: string): void {
    const set = this.access.get(STATEFUL_SETS, key);
    if (!set) return;
    if (!isTerminating(set)) this.step(set);
    const status = this.desiredStatus(set);
    if (!sameJson(status, statusOf(set))) this.access.replaceStatus(STATEFUL_SETS, set, status);
  }

  /** Makes what may be made now; only when nothing is missing are pods ended, and only when none are is one updated. */
  private step(set: StoredObject): void {
    const isOrdered = asString(specOf(set).podManagementPolicy) !== 'Parallel';
    const wanted = podNamesOf(set);
    if (this.fill(set, wanted, isOrdered) === 'waiting' && isOrdered) return;
    const excess = this.podsOf(set).filter(({ name }) => !wanted.includes(name));
    if (excess.length > 0) this.endLast(excess, isOrdered);
    else this.update(set);
  }

  private fill(set: StoredObject, wanted: readonly string[], isOrdered: boolean): 'complete' | 'waiting' {
    let isComplete = true;
    for (const name of wanted) {
      const pod = this.access.get(PODS, `${set.namespace}/${name}`);
      if (pod && isSettled(pod)) continue;
      isComplete = false;
      if (!pod) this.make(set, name);
      // A pod that came to its end makes room for one of the same name.
      else if (hasEnded(pod) && !isTerminating(pod) && controllerOf(pod)?.uid === set.uid) this.access.delete(PODS, pod);
      if (isOrdered) break;
    }
    return isComplete ? 'complete' : 'waiting';
  }

  private make(set: StoredObject, name: string): void {
    for (const claim of buildClaims(set, name)) {
      const claimName = asString(asObject(claim.metadata).name);
      if (!this.access.get(CLAIMS, `${set.namespace}/${claimName}`)) this.access.create(CLAIMS, set.namespace, claim);
    }
    this.access.create(PODS, set.namespace, buildStatefulPod(set, name, this.updateRevisionOf(set)));
  }

  private endLast(excess: readonly StoredObject[], isOrdered: boolean): void {
    for (const pod of [...excess].reverse()) {
      if (!isTerminating(pod)) this.access.delete(PODS, pod);
      if (isOrdered) return;
    }
  }

  private update(set: StoredObject): void {
    const strategy = asObject(specOf(set).updateStrategy);
    if (asString(strategy.type) === 'OnDelete') return;
    const partition = numberIn(asObject(strategy.rollingUpdate), 'partition');
    const revision = this.updateRevisionOf(set);
    for (const pod of this.podsOf(set).reverse()) {
      if (ordinalOf(pod.name) < partition || !isSettled(pod)) return;
      if (pod.labels[REVISION_LABEL] === revision) continue;
      this.access.delete(PODS, pod);
      return;
    }
  }

  private updateRevisionOf(set: StoredObject): string {
    return `${set.name}-${this.hashes.of(set)}`;
  }

  private podsOf(set: StoredObject): StoredObject[] {
    return this.pods.of(set.uid).sort((left, right) => ordinalOf(left.name) - ordinalOf(right.name));
  }

  private desiredStatus(set: StoredObject): JsonObject {
    const pods = this.podsOf(set);
    const minReadySeconds = numberIn(specOf(set), 'minReadySeconds');
    const waits = pods.flatMap((pod) => msUntilAvailable(pod, minReadySeconds, this.clock.nowMs()) ?? []);
    const pending = waits.filter((waitMs) => waitMs > 0);
    if (pending.length > 0) this.loop.addAfter(set.key, Math.min(...pending));
    const updateRevision = this.updateRevisionOf(set);
    const staying = pods.filter((pod) => !isTerminating(pod));
    const known = asString(statusOf(set).currentRevision);
    const isUpdated = staying.every(({ labels }) => labels[REVISION_LABEL] === updateRevision);
    const currentRevision = known === '' || isUpdated ? updateRevision : known;
    const countOf = (revision: string): number => staying.filter(({ labels }) => labels[REVISION_LABEL] === revision).length;
    return {
      ...withoutZeros({
        observedGeneration: numberIn(set.metadata, 'generation'),
        readyReplicas: pods.filter(isReady).length,
        currentReplicas: countOf(currentRevision),
        updatedReplicas: countOf(updateRevision),
      }),
      currentRevision,
      updateRevision,
      collisionCount: 0,
      replicas: pods.length,
      availableReplicas: waits.length - pending.length,
    };
  }
}

const isSettled = (pod: StoredObject): boolean => isReady(pod) && !isTerminating(pod);
