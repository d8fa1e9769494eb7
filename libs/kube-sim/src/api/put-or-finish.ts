import { type JsonObject, type ObjectStore, StoredObject, asArray, asObject, asString } from '../store';

/** Writes an object, or lets it go when it was only kept by what the new state no longer has: finalizers or a grace period. */
export function putOrFinish(store: ObjectStore, storageId: string, object: JsonObject): StoredObject {
  const metadata = asObject(object.metadata);
  if (!isFinished(object)) return store.put(storageId, object);
  const gone = store.remove(storageId, asString(metadata.namespace), asString(metadata.name));
  const version = gone?.resourceVersion ?? store.currentVersion;
  return new StoredObject({ ...object, metadata: { ...metadata, resourceVersion: String(version) } }, version);
}

function isFinished(object: JsonObject): boolean {
  const metadata = asObject(object.metadata);
  if (metadata.deletionTimestamp === undefined || asArray(metadata.finalizers).length > 0) return false;
  const holdsContents = object.kind === 'Namespace' && object.apiVersion === 'v1' && asArray(asObject(object.spec).finalizers).length > 0;
  return !holdsContents && Number(metadata.deletionGracePeriodSeconds ?? 0) === 0;
}
