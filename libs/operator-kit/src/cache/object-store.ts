import { formatRef } from '../client';
import type { KubeObject, ObjectRef } from '../client';
import { keyOf, metadataOf, sameVersion } from './frozen';
import type { Frozen } from './lister';
import { ObjectIndex } from './object-index';

/** The values an object is filed under. Must depend on the object alone: it is asked again to take the object out. */
export type IndexFunction<T extends KubeObject> = (object: Frozen<T>) => readonly string[];

/** What one write changed; `before` or `after` is missing when the object came or went. */
export interface StoreChange<T extends KubeObject> {
  readonly before?: Frozen<T>;
  readonly after?: Frozen<T>;
}

/**
 * The objects of one kind by name, with indexes.
 *
 * Objects and all indexes change together or, when an index function throws, not at all.
 * Writing a version that is already there changes nothing. Objects are handed out as they are, never copied: they must come in frozen.
 */
export class ObjectStore<T extends KubeObject> {
  private readonly objects = new Map<string, Frozen<T>>();
  private readonly indexes = new Map<IndexFunction<T>, { filed: ObjectIndex; users: number }>();

  constructor() {
    this.addIndex(namespaceOf);
    this.addIndex(ownersOf);
  }

  get size(): number {
    return this.objects.size;
  }

  get(ref: ObjectRef): Frozen<T> | undefined {
    return this.objects.get(formatRef(ref));
  }

  list(namespace?: string): Frozen<T>[] {
    return namespace === undefined ? [...this.objects.values()] : this.indexed(namespaceOf, namespace);
  }

  ownedBy(uid: string): Frozen<T>[] {
    return this.indexed(ownersOf, uid);
  }

  /** Objects filed under this value. An index that was dropped still answers, by asking every object. */
  indexed(index: IndexFunction<T>, value: string): Frozen<T>[] {
    const filed = this.indexes.get(index)?.filed;
    if (!filed) return this.list().filter((object) => index(object).includes(value));

    const found: Frozen<T>[] = [];
    for (const key of filed.keys(value)) {
      const object = this.objects.get(key);
      if (object) found.push(object);
    }
    return found;
  }

  /** Files everything that is here already. An index added twice is kept once, until it was dropped twice. */
  addIndex(index: IndexFunction<T>): void {
    const existing = this.indexes.get(index);
    if (existing) {
      existing.users++;
      return;
    }
    const filed = new ObjectIndex();
    for (const [key, object] of this.objects) filed.move(key, [], index(object));
    this.indexes.set(index, { filed, users: 1 });
  }

  dropIndex(index: IndexFunction<T>): void {
    const existing = this.indexes.get(index);
    if (existing && --existing.users === 0) this.indexes.delete(index);
  }

  /** The object as it is stored, if this very version is. */
  known(object: Frozen<T>): Frozen<T> | undefined {
    const stored = this.objects.get(keyOf(object));
    return stored && sameVersion(stored, object) ? stored : undefined;
  }

  put(object: Frozen<T>): StoreChange<T> | undefined {
    const write = this.plan(keyOf(object), object);
    return write && this.commit(write);
  }

  remove(object: Frozen<T>): StoreChange<T> | undefined {
    const write = this.plan(keyOf(object), undefined);
    return write && this.commit(write);
  }

  /** Makes the namespace (or all of them) hold exactly these objects. */
  replace(objects: Iterable<Frozen<T>>, namespace?: string): StoreChange<T>[] {
    const writes: Write<T>[] = [];
    const present = new Set<string>();
    for (const object of objects) {
      const key = keyOf(object);
      present.add(key);
      const write = this.plan(key, object);
      if (write) writes.push(write);
    }
    for (const object of this.list(namespace)) {
      const key = keyOf(object);
      const write = present.has(key) ? undefined : this.plan(key, undefined);
      if (write) writes.push(write);
    }
    return writes.map((write) => this.commit(write));
  }

  /** Asks every index before anything moves, so that one that throws leaves the store whole. */
  private plan(key: string, after: Frozen<T> | undefined): Write<T> | undefined {
    const before = this.objects.get(key);
    if (before === after || (before && after && sameVersion(before, after))) return undefined;
    const moves = [...this.indexes].map(([index, { filed }]) => ({
      filed,
      from: before ? index(before) : [],
      to: after ? index(after) : [],
    }));
    return { key, before, after, moves };
  }

  private commit({ key, before, after, moves }: Write<T>): StoreChange<T> {
    if (after) this.objects.set(key, after);
    else this.objects.delete(key);
    for (const { filed, from, to } of moves) filed.move(key, from, to);
    return { before, after };
  }
}

interface Write<T extends KubeObject> extends StoreChange<T> {
  readonly key: string;
  readonly moves: readonly { filed: ObjectIndex; from: readonly string[]; to: readonly string[] }[];
}

function namespaceOf<T extends KubeObject>(object: Frozen<T>): readonly string[] {
  const { namespace } = metadataOf(object);
  return namespace ? [namespace] : [];
}

function ownersOf<T extends KubeObject>(object: Frozen<T>): readonly string[] {
  return metadataOf(object).ownerReferences?.map(({ uid }) => uid) ?? [];
}
