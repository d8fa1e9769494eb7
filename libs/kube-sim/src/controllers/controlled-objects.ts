import { type Change, type Collection, type JsonObject, type StoredObject, asArray, asObject, asString } from '../store';

export interface ControllerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** The one owner that manages an object, if it has one. */
export function controllerOf({ metadata }: StoredObject): ControllerReference | undefined {
  const reference = asArray(metadata.ownerReferences)
    .map(asObject)
    .find(({ controller }) => controller === true);
  return reference && { kind: asString(reference.kind), name: asString(reference.name), uid: asString(reference.uid) };
}

export function buildControllerReference({ object, name, uid }: StoredObject): JsonObject {
  return {
    apiVersion: asString(object.apiVersion),
    kind: asString(object.kind),
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The objects of one collection by the uid of who controls them, kept current from the collection's changes. */
export class ControlledObjects {
  private readonly keys = new Map<string, Set<string>>();
  private readonly stopListening: () => void;

  constructor(private readonly collection: Collection) {
    this.stopListening = collection.listen((change) => {
      this.follow(change);
    });
  }

  of(uid: string): StoredObject[] {
    return [...(this.keys.get(uid) ?? [])].flatMap((key) => this.collection.get(key) ?? []);
  }

  stop(): void {
    this.stopListening();
  }

  private follow({ type, object, previous }: Change): void {
    const before = previous && controllerOf(previous)?.uid;
    const now = type === 'DELETED' ? undefined : controllerOf(object)?.uid;
    if (before === now) return;
    if (before !== undefined) this.unlink(before, object.key);
    if (now === undefined) return;
    const keys = this.keys.get(now) ?? new Set();
    this.keys.set(now, keys.add(object.key));
  }

  private unlink(uid: string, key: string): void {
    const keys = this.keys.get(uid);
    keys?.delete(key);
    if (keys?.size === 0) this.keys.delete(uid);
  }
}
