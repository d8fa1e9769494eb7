import { type Change, type JsonObject, type StoredObject, asArray, asObject, asString } from '../store';

/** Where an object is kept. */
export interface ObjectPlace {
  readonly storageId: string;
  readonly key: string;
}

export interface OwnerReference {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly blocksDeletion: boolean;
}

export function ownersOf(stored: StoredObject): OwnerReference[] {
  return asArray(stored.metadata.ownerReferences).map((entry) => {
    const reference: JsonObject = asObject(entry);
    return {
      uid: asString(reference.uid),
      apiVersion: asString(reference.apiVersion),
      kind: asString(reference.kind),
      name: asString(reference.name),
      blocksDeletion: reference.blockOwnerDeletion === true,
    };
  });
}

export const placeKey = ({ storageId, key }: ObjectPlace): string => `${storageId}|${key}`;

/** Who exists and who depends on whom, kept current from the changes of the store. */
export class OwnerGraph {
  private readonly alive = new Map<string, ObjectPlace>();
  private readonly dependents = new Map<string, Map<string, ObjectPlace>>();
  /** Owners that were seen to go, for as long as somebody still names them. */
  private readonly departed = new Set<string>();

  follow(storageId: string, { type, object, previous }: Change): void {
    const place = { storageId, key: object.key };
    if (previous) for (const owner of ownersOf(previous)) this.unlink(owner.uid, place);
    if (type === 'DELETED') {
      this.alive.delete(object.uid);
      if (this.dependents.has(object.uid)) this.departed.add(object.uid);
      return;
    }
    this.alive.set(object.uid, place);
    for (const owner of ownersOf(object)) this.link(owner.uid, place);
  }

  place(uid: string): ObjectPlace | undefined {
    return this.alive.get(uid);
  }

  hasDeparted(uid: string): boolean {
    return this.departed.has(uid);
  }

  dependentsOf(uid: string): ObjectPlace[] {
    return [...(this.dependents.get(uid)?.values() ?? [])];
  }

  private link(uid: string, place: ObjectPlace): void {
    const known = this.dependents.get(uid) ?? new Map<string, ObjectPlace>();
    known.set(placeKey(place), place);
    this.dependents.set(uid, known);
  }

  private unlink(uid: string, place: ObjectPlace): void {
    const known = this.dependents.get(uid);
    known?.delete(placeKey(place));
    if (known?.size !== 0) return;
    this.dependents.delete(uid);
    this.departed.delete(uid);
  }
}
