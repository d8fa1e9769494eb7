import { type ObjectDeleter, type ResourceRegistry, putOrFinish, targetOfStored } from '../api';
import { type ObjectStore, type StoredObject, asArray, asObject } from '../store';
import { WorkList } from './work-list';

const NAMESPACES = '/namespaces';
const CONTENTS_FINALIZER = 'kubernetes';

/** Empties namespaces that are being deleted and lets them go once nothing is left inside. */
export class NamespaceLifecycle {
  private readonly work: WorkList<string>;
  private readonly stopListening: () => void;

  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly deleter: ObjectDeleter,
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
    if (this.contentsOf(name).length > 0) return;
    const spec = asObject(namespace.object.spec);
    const finalizers = asArray(spec.finalizers).filter((finalizer) => finalizer !== CONTENTS_FINALIZER);
    const { finalizers: _old, ...rest } = spec;
    putOrFinish(this.store, NAMESPACES, { ...namespace.object, spec: finalizers.length === 0 ? rest : { ...rest, finalizers } });
  }

  private contentsOf(namespace: string): { storageId: string; stored: StoredObject }[] {
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
