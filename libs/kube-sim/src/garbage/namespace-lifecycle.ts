import { type ObjectDeleter, type ResourceRegistry, putOrFinish, targetOfStored } from '../api';
import { type SimClock, isoSeconds } from '../sim-clock';
import { type JsonObject, type ObjectStore, type StoredObject, asArray, asObject, sameJson, without } from '../store';
import { WorkList } from './work-list';

const NAMESPACES = '/namespaces';
const CONTENTS_FINALIZER = 'kubernetes';

interface Content {
  readonly storageId: string;
  readonly stored: StoredObject;
}

/** Empties namespaces that are being deleted and lets them go once nothing is left inside. */
export class NamespaceLifecycle {
  private readonly work: WorkList<string>;
  private readonly stopListening: () => void;

  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly deleter: ObjectDeleter,
    private readonly clock: SimClock,
  ) {
    this.work = new WorkList(
      (name) => name,
      (name) => {
        this.look(name);
      },
    );
    this.stopListening = store.listen((storageId, { type, object }) => {
      if (storageId === NAMESPACES && type !== 'DELETED' && isTerminating(object)) this.work.add(object.name);
      else if (type === 'DELETED' && object.namespace !== '' && this.isTerminatingName(object.namespace)) this.work.add(object.namespace);
    });
  }

  stop(): void {
    this.stopListening();
    this.work.stop();
  }

  private look(name: string): void {
    const namespace = this.store.get(NAMESPACES, '', name);
    if (!namespace || !isTerminating(namespace)) return;
    const contents = this.contentsOf(name);
    for (const { storageId, stored } of contents) {
      if (stored.metadata.deletionTimestamp !== undefined) continue;
      const target = targetOfStored(this.registry, storageId, stored);
      if (target) this.deleter.delete(target, { propagationPolicy: 'Background', dryRun: false });
    }
    const left = this.contentsOf(name);
    if (left.length > 0) {
      this.reportRemaining(name, left);
      return;
    }
    const spec = asObject(namespace.object.spec);
    const finalizers = asArray(spec.finalizers).filter((finalizer) => finalizer !== CONTENTS_FINALIZER);
    const rest = without(spec, 'finalizers');
    putOrFinish(this.store, NAMESPACES, { ...namespace.object, spec: finalizers.length === 0 ? rest : { ...rest, finalizers } });
  }

  /** Says in the namespace's status what it is still waiting for. */
  private reportRemaining(name: string, contents: readonly Content[]): void {
    const namespace = this.store.get(NAMESPACES, '', name);
    if (!namespace) return;
    const before = asArray(asObject(namespace.object.status).conditions).map(asObject);
    const conditions = remainingConditions(contents).map((condition) => {
      const known = before.find(
        ({ type, status, message }) => type === condition.type && status === condition.status && message === condition.message,
      );
      return known ?? { ...condition, lastTransitionTime: isoSeconds(this.clock.nowMs()) };
    });
    if (sameJson(conditions, before)) return;
    this.store.put(NAMESPACES, { ...namespace.object, status: { ...asObject(namespace.object.status), conditions } });
  }

  private contentsOf(namespace: string): Content[] {
    return this.registry
      .all()
      .filter((type) => type.namespaced && type.group !== 'events.k8s.io')
      .flatMap(({ storageId }) =>
        [...this.store.collection(storageId).inOrder(`${namespace}/`, '')].map((stored) => ({ storageId, stored })),
      );
  }

  private isTerminatingName(name: string): boolean {
    const namespace = this.store.get(NAMESPACES, '', name);
    return namespace !== undefined && isTerminating(namespace);
  }
}

const isTerminating = ({ metadata }: StoredObject): boolean => metadata.deletionTimestamp !== undefined;

function remainingConditions(contents: readonly Content[]): JsonObject[] {
  const byResource = countBy(contents.map(({ storageId }) => storageId.split('/').reverse().join('.')));
  const finalizers = contents.flatMap(({ stored }) => asArray(stored.metadata.finalizers).map(String));
  const conditions: JsonObject[] = [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${byResource.map(([resource, count]) => `${resource} has ${count} resource instances`).join(', ')}`,
    },
  ];
  if (finalizers.length === 0) return conditions;
  const held = countBy(finalizers).map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return [
    ...conditions,
    {
      type: 'NamespaceFinalizersRemaining',
      status: 'True',
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
    },
  ];
}

function countBy(names: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([left], [right]) => (left < right ? -1 : 1));
}
