import { CRD_CLEANUP_FINALIZER, CRD_STORAGE, type ObjectDeleter, type ResourceRegistry, putOrFinish, targetOfStored } from '../api';
import { type ObjectStore, type StoredObject, asArray, asObject, asString, without } from '../store';
import { WorkList } from './work-list';

/** Deletes the objects of a definition that is being deleted, and lets the definition go after the last of them. */
export class CrdLifecycle {
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
      if (storageId === CRD_STORAGE && type !== 'DELETED' && needsCleanup(object)) this.work.add(object.name);
      else if (type === 'DELETED') this.lookAtDefinitionOf(storageId);
    });
  }

  stop(): void {
    this.stopListening();
    this.work.stop();
  }

  private lookAtDefinitionOf(storageId: string): void {
    const [group = '', plural = ''] = storageId.split('/');
    const definition = this.store.get(CRD_STORAGE, '', `${plural}.${group}`);
    if (definition && needsCleanup(definition)) this.work.add(definition.name);
  }

  private look(name: string): void {
    const definition = this.store.get(CRD_STORAGE, '', name);
    if (!definition || !needsCleanup(definition)) return;
    const spec = asObject(definition.object.spec);
    const storageId = `${asString(spec.group)}/${asString(asObject(spec.names).plural)}`;
    const collection = this.store.collection(storageId);
    for (const stored of [...collection.values()]) {
      const target = targetOfStored(this.registry, storageId, stored);
      if (target && stored.metadata.deletionTimestamp === undefined) this.deleter.delete(target, { dryRun: false });
    }
    if (collection.size > 0) return;
    const finalizers = asArray(definition.metadata.finalizers).filter((finalizer) => finalizer !== CRD_CLEANUP_FINALIZER);
    const rest = without(definition.metadata, 'finalizers');
    putOrFinish(this.store, CRD_STORAGE, { ...definition.object, metadata: finalizers.length === 0 ? rest : { ...rest, finalizers } });
  }
}

const needsCleanup = ({ metadata }: StoredObject): boolean =>
  metadata.deletionTimestamp !== undefined && asArray(metadata.finalizers).includes(CRD_CLEANUP_FINALIZER);
