import type { KubeObject, ObjectRef } from '../client';

/** Objects in a cache are shared by all readers, so nobody may change one. Copy (`structuredClone`) before editing. */
export type Frozen<T> = T extends (infer E)[] ? readonly Frozen<E>[] : T extends object ? { readonly [P in keyof T]: Frozen<T[P]> } : T;

/** Reads from memory; never asks the API server. */
export interface Lister<T extends KubeObject> {
  get(ref: ObjectRef): Frozen<T> | undefined;
  list(namespace?: string): Frozen<T>[];
  /** Objects filed under this value of a named index. @throws when no such index was asked for. */
  byIndex(index: string, value: string): Frozen<T>[];
  /** Objects that an owner reference ties to this uid. */
  getOwnedBy(uid: string): Frozen<T>[];
}

export type CacheEvent<T extends KubeObject> =
  | {
      type: 'added';
      object: Frozen<T>;
      /** Part of what was there when the handler joined, or of the first list if it came before that. */ initial: boolean;
    }
  /** `before.metadata.uid` differs when the object was deleted and made again meanwhile. */
  | { type: 'updated'; object: Frozen<T>; before: Frozen<T>; /** A replay: nothing changed. */ resync: boolean }
  /** `finalStateUnknown`: it vanished while we were not watching; `object` is the last state seen. */
  | { type: 'deleted'; object: Frozen<T>; finalStateUnknown: boolean };
