import { type SimClock } from '../sim-clock';
import { type JsonObject, type StoredObject, asObject, asString, asStringMap, sameJson } from '../store';
import { ControlLoop } from './control-loop';
import { type ControlledObjects, buildControllerReference, controllerOf } from './controlled-objects';
import { buildDeploymentStatus } from './deployment-status';
import { type ObjectAccess } from './object-access';
import { hasEnded, isTerminating } from './pod-state';
import { TemplateHashes, templateOf } from './pod-template';
import { type ReplicaCounts, type RolloutStrategy, planRollout, strategyOf } from './rollout-plan';
import { DEPLOYMENTS, REPLICA_SETS } from './storage-ids';
import { numberIn, replicasOf, specOf, statusOf } from './workload-object';

const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const MOST = 'deployment.kubernetes.io/max-replicas';

interface Family {
  readonly current?: StoredObject;
  /** Oldest revision first. */
  readonly old: readonly StoredObject[];
  readonly collisions: number;
}

/**
 * Turns Deployments into ReplicaSets, one for each template they have had, and moves the replicas to the newest.
 *
 * Known by their owner: ReplicaSets that nobody owns are not adopted. A rollout that makes no progress is never given up.
 */
export class DeploymentController {
  private readonly loop: ControlLoop;
  private readonly hashes = new TemplateHashes();
  private readonly stopListening: () => void;

  constructor(
    private readonly access: ObjectAccess,
    private readonly replicaSets: ControlledObjects,
    private readonly pods: ControlledObjects,
    private readonly clock: SimClock,
  ) {
    this.loop = new ControlLoop(clock, (key) => {
      this.reconcile(key);
    });
    this.stopListening = access.store.listen((storageId, { object }) => {
      if (storageId === DEPLOYMENTS) this.loop.add(object.key);
      if (storageId !== REPLICA_SETS) return;
      const controller = controllerOf(object);
      if (controller?.kind === 'Deployment') this.loop.add(`${object.namespace}/${controller.name}`);
    });
  }

  stop(): void {
    this.stopListening();
    this.loop.stop();
  }

  private reconcile(key: string): void {
    const deployment = this.access.get(DEPLOYMENTS, key);
    if (!deployment) return;
    const strategy = strategyOf(specOf(deployment), replicasOf(deployment));
    if (isTerminating(deployment)) {
      this.report(deployment, strategy, this.familyOf(deployment));
      return;
    }
    const family = this.withCurrent(deployment, strategy, this.familyOf(deployment));
    if (family.current) this.roll(deployment, strategy, { ...family, current: family.current });
    this.forgetOldest(deployment, family);
    this.report(deployment, strategy, this.familyOf(deployment));
  }

  private familyOf(deployment: StoredObject): Family {
    const owned = this.replicaSets.of(deployment.uid).sort((left, right) => revisionOf(left) - revisionOf(right));
    let collisions = numberIn(statusOf(deployment), 'collisionCount');
    const isTaken = (): boolean => {
      const holder = this.access.get(REPLICA_SETS, `${deployment.key}-${this.hashes.of(deployment, collisions)}`);
      return holder !== undefined && controllerOf(holder)?.uid !== deployment.uid;
    };
    while (isTaken()) collisions++;
    const hash = this.hashes.of(deployment, collisions);
    const current = owned.find(({ labels }) => labels[HASH_LABEL] === hash);
    return { current, old: owned.filter((replicaSet) => replicaSet !== current), collisions };
  }

  private withCurrent(deployment: StoredObject, strategy: RolloutStrategy, family: Family): Family {
    if (family.current || specOf(deployment).paused === true) return family;
    const nothing: ReplicaCounts = { wanted: 0, available: 0, running: 0 };
    const plan = planRollout(replicasOf(deployment), strategy, nothing, this.countsOf(family.old));
    const body = buildReplicaSet(deployment, this.hashes.of(deployment, family.collisions), plan.current, {
      ...scaleAnnotations(deployment, strategy),
      [REVISION]: String(nextRevision(family.old)),
    });
    return { ...family, current: this.access.create(REPLICA_SETS, deployment.namespace, body) };
  }

  private roll(deployment: StoredObject, strategy: RolloutStrategy, { current, old }: Family & { current: StoredObject }): void {
    const [counts = { wanted: 0, available: 0, running: 0 }] = this.countsOf([current]);
    const plan = planRollout(replicasOf(deployment), strategy, counts, this.countsOf(old));
    const revision = Math.max(revisionOf(current), nextRevision(old));
    const annotations = scaleAnnotations(deployment, strategy);
    this.scale(current, plan.current, { ...annotations, [REVISION]: String(revision) });
    if (specOf(deployment).paused === true) return;
    old.forEach((replicaSet, index) => {
      const replicas = plan.old[index] ?? 0;
      if (replicas !== replicasOf(replicaSet)) this.scale(replicaSet, replicas, annotations);
    });
  }

  private countsOf(replicaSets: readonly StoredObject[]): ReplicaCounts[] {
    return replicaSets.map((replicaSet) => ({
      wanted: replicasOf(replicaSet),
      available: numberIn(statusOf(replicaSet), 'availableReplicas'),
      running: this.pods.of(replicaSet.uid).filter((pod) => !hasEnded(pod)).length,
    }));
  }

  private scale(replicaSet: StoredObject, replicas: number, annotations: JsonObject): void {
    const { metadata, object } = replicaSet;
    const next = { ...asStringMap(metadata.annotations), ...annotations };
    if (replicasOf(replicaSet) === replicas && sameJson(next, asObject(metadata.annotations))) return;
    this.access.replace(REPLICA_SETS, replicaSet, {
      ...object,
      metadata: { ...metadata, annotations: next },
      spec: { ...specOf(replicaSet), replicas },
    });
  }

  private forgetOldest(deployment: StoredObject, { old }: Family): void {
    const spent = old.filter((replicaSet) => replicasOf(replicaSet) === 0 && numberIn(statusOf(replicaSet), 'replicas') === 0);
    const excess = spent.length - numberIn(specOf(deployment), 'revisionHistoryLimit', 10);
    for (const replicaSet of spent.slice(0, Math.max(0, excess))) {
      if (!isTerminating(replicaSet)) this.access.delete(REPLICA_SETS, replicaSet);
    }
  }

  private report(deployment: StoredObject, strategy: RolloutStrategy, family: Family): void {
    const status = buildDeploymentStatus({ deployment, strategy, ...family, nowMs: this.clock.nowMs() });
    const known = asStringMap(deployment.metadata.annotations);
    const annotations = family.current ? { ...known, [REVISION]: String(revisionOf(family.current)) } : known;
    if (sameJson(status, statusOf(deployment)) && sameJson(known, annotations)) return;
    // A write to the status may carry annotations, so the revision needs no write of its own.
    const metadata = { ...deployment.metadata, annotations };
    this.access.replaceStatus(DEPLOYMENTS, deployment, status, metadata);
  }
}

const revisionOf = ({ metadata }: StoredObject): number => Number(asString(asObject(metadata.annotations)[REVISION]) || 0);

const nextRevision = (old: readonly StoredObject[]): number => Math.max(0, ...old.map(revisionOf)) + 1;

function scaleAnnotations(deployment: StoredObject, strategy: RolloutStrategy): JsonObject {
  const replicas = replicasOf(deployment);
  const surge = strategy.kind === 'rolling' && replicas > 0 ? strategy.surge : 0;
  return { [DESIRED]: String(replicas), [MOST]: String(replicas + surge) };
}

function buildReplicaSet(deployment: StoredObject, hash: string, replicas: number, annotations: JsonObject): JsonObject {
  const spec = specOf(deployment);
  const template = templateOf(deployment);
  const templateMetadata = asObject(template.metadata);
  const labels = { ...asStringMap(templateMetadata.labels), [HASH_LABEL]: hash };
  const selector = asObject(spec.selector);
  const kept = Object.entries(asStringMap(deployment.metadata.annotations)).filter(([name]) => !OWN_ANNOTATIONS.has(name));
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.name}-${hash}`,
      labels,
      annotations: { ...Object.fromEntries(kept), ...annotations },
      ownerReferences: [buildControllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...asStringMap(selector.matchLabels), [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...templateMetadata, labels } },
    },
  };
}

const OWN_ANNOTATIONS = new Set([REVISION, DESIRED, MOST, 'kubectl.kubernetes.io/last-applied-configuration']);
