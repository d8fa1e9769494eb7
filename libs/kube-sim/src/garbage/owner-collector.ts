import {
  type ObjectDeleter,
  type Propagation,
  type ResourceRegistry,
  type ResourceType,
  putOrFinish,
  targetOfStored,
  versionOf,
} from '../api';
import { type Change, type ObjectStore, type StoredObject, asArray, asObject, asString, without } from '../store';
import { type ObjectPlace, type OwnerReference, OwnerGraph, ownersOf, placeKey } from './owner-graph';
import { WorkList } from './work-list';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/**
 * Deletes what nobody owns any more, and holds owners back for those that must go before them.
 *
 * An object goes when all the owners it names are gone; while one is left, only the references to the others are
 * removed. Objects without owners are never touched.
 */
export class OwnerCollector {
  private readonly graph = new OwnerGraph();
  private readonly work: WorkList<ObjectPlace>;
  private readonly stopListening: () => void;

  constructor(
    private readonly store: ObjectStore,
    private readonly registry: ResourceRegistry,
    private readonly deleter: ObjectDeleter,
  ) {
    this.work = new WorkList(placeKey, (place) => {
      this.look(place);
    });
    this.stopListening = store.listen((storageId, change) => {
      this.follow(storageId, change);
    });
  }

  stop(): void {
    this.stopListening();
    this.work.stop();
  }

  private follow(storageId: string, change: Change): void {
    const { type, object, previous } = change;
    this.graph.follow(storageId, change);
    if (type === 'DELETED') {
      for (const dependent of this.graph.dependentsOf(object.uid)) this.work.add(dependent);
      for (const owner of ownersOf(previous ?? object)) this.lookAtUid(owner.uid);
      return;
    }
    if (ownersOf(object).length > 0) this.work.add({ storageId, key: object.key });
    // An owner may have waited for this dependent, which has just let go of it.
    for (const owner of previous ? ownersOf(previous) : []) this.lookAtUid(owner.uid);
    if (isBeingDeleted(object)) this.work.add({ storageId, key: object.key });
  }

  private lookAtUid(uid: string): void {
    const place = this.graph.place(uid);
    const owner = place && this.store.collection(place.storageId).get(place.key);
    if (place && owner && isBeingDeleted(owner)) this.work.add(place);
  }

  private look(place: ObjectPlace): void {
    const stored = this.store.collection(place.storageId).get(place.key);
    if (!stored) return;
    if (isBeingDeleted(stored)) {
      const finalizers = finalizersOf(stored);
      if (finalizers.includes(ORPHAN)) this.orphanDependents(place, stored);
      else if (finalizers.includes(FOREGROUND)) this.deleteDependentsFirst(place, stored);
      return;
    }
    this.deleteIfUnowned(place, stored);
  }

  private deleteIfUnowned(place: ObjectPlace, stored: StoredObject): void {
    const owners = ownersOf(stored);
    if (owners.length === 0) return;
    // Of an owner whose kind is not served nobody can tell whether it exists, unless it was seen to go.
    if (owners.some((owner) => !this.kindOf(owner) && !this.graph.hasDeparted(owner.uid))) return;
    const dangling = owners.filter((owner) => !this.ownerOf(stored, owner));
    const waiting = owners.filter((owner) => isWaiting(this.ownerOf(stored, owner)));
    if (dangling.length + waiting.length === 0) return;
    if (dangling.length + waiting.length < owners.length) {
      this.dropReferences(place, stored, [...dangling, ...waiting]);
      return;
    }
    const hasDependents = this.graph.dependentsOf(stored.uid).length > 0;
    this.delete(place, stored, waiting.length > 0 && hasDependents ? 'Foreground' : policyOf(stored));
  }

  private deleteDependentsFirst(place: ObjectPlace, owner: StoredObject): void {
    const dependents = this.graph.dependentsOf(owner.uid);
    const isBlocked = dependents.some(({ storageId, key }) => {
      const dependent = this.store.collection(storageId).get(key);
      return dependent && ownersOf(dependent).some(({ uid, blocksDeletion }) => uid === owner.uid && blocksDeletion);
    });
    if (!isBlocked) this.dropFinalizer(place, owner, FOREGROUND);
    for (const dependent of dependents) this.work.add(dependent);
  }

  private orphanDependents(place: ObjectPlace, owner: StoredObject): void {
    for (const dependentPlace of this.graph.dependentsOf(owner.uid)) {
      const dependent = this.store.collection(dependentPlace.storageId).get(dependentPlace.key);
      if (dependent)
        this.dropReferences(
          dependentPlace,
          dependent,
          ownersOf(dependent).filter(({ uid }) => uid === owner.uid),
        );
    }
    this.dropFinalizer(place, owner, ORPHAN);
  }

  private kindOf({ apiVersion, kind }: OwnerReference): ResourceType | undefined {
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const type = this.registry.byKind(group, kind);
    return type && versionOf(type, version) ? type : undefined;
  }

  /** The owner a reference means: of the same uid, kind and name, in reach of the dependent. */
  private ownerOf(dependent: StoredObject, reference: OwnerReference): StoredObject | undefined {
    const place = this.graph.place(reference.uid);
    const owner = place && this.store.collection(place.storageId).get(place.key);
    if (owner?.name !== reference.name || place?.storageId !== this.kindOf(reference)?.storageId) return undefined;
    return owner.namespace === '' || owner.namespace === dependent.namespace ? owner : undefined;
  }

  private dropReferences(place: ObjectPlace, stored: StoredObject, dropped: readonly OwnerReference[]): void {
    const uids = new Set(dropped.map(({ uid }) => uid));
    const ownerReferences = asArray(stored.metadata.ownerReferences).filter((entry) => !uids.has(asString(asObject(entry).uid)));
    const rest = without(stored.metadata, 'ownerReferences');
    const metadata = ownerReferences.length === 0 ? rest : { ...rest, ownerReferences };
    putOrFinish(this.store, place.storageId, { ...stored.object, metadata });
  }

  private dropFinalizer(place: ObjectPlace, stored: StoredObject, finalizer: string): void {
    const finalizers = finalizersOf(stored).filter((other) => other !== finalizer);
    const rest = without(stored.metadata, 'finalizers');
    putOrFinish(this.store, place.storageId, { ...stored.object, metadata: finalizers.length === 0 ? rest : { ...rest, finalizers } });
  }

  private delete(place: ObjectPlace, stored: StoredObject, propagationPolicy: Propagation): void {
    const target = targetOfStored(this.registry, place.storageId, stored);
    if (target) this.deleter.delete(target, { propagationPolicy, uid: stored.uid, dryRun: false });
  }
}

const isBeingDeleted = ({ metadata }: StoredObject): boolean => metadata.deletionTimestamp !== undefined;

const finalizersOf = ({ metadata }: StoredObject): string[] => asArray(metadata.finalizers).map(String);

const isWaiting = (owner: StoredObject | undefined): boolean =>
  owner !== undefined && isBeingDeleted(owner) && finalizersOf(owner).includes(FOREGROUND);

function policyOf(stored: StoredObject): Propagation {
  const finalizers = finalizersOf(stored);
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}
