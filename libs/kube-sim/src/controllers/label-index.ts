import { type Change, type Collection, type StoredObject } from '../store';

type Labels = Readonly<Record<string, string>>;

const placeOf = (namespace: string, label: string, value: string): string => JSON.stringify([namespace, label, value]);

const matches = (selector: Labels, labels: Labels): boolean => Object.entries(selector).every(([label, value]) => labels[label] === value);

/** Sets of keys under places; a place without keys is forgotten. */
class KeySets {
  private readonly sets = new Map<string, Set<string>>();

  at(place: string): ReadonlySet<string> {
    return this.sets.get(place) ?? new Set();
  }

  add(place: string, key: string): void {
    const keys = this.sets.get(place) ?? new Set();
    this.sets.set(place, keys.add(key));
  }

  delete(place: string, key: string): void {
    const keys = this.sets.get(place);
    keys?.delete(key);
    if (keys?.size === 0) this.sets.delete(place);
  }
}

/** Finds the objects of a collection by the labels they carry, without looking at the others. */
export class LabelIndex {
  private readonly keys = new KeySets();
  private readonly stopListening: () => void;

  constructor(private readonly collection: Collection) {
    this.stopListening = collection.listen((change) => {
      this.follow(change);
    });
  }

  /** The objects of a namespace that carry all of these labels; none for an empty selector. */
  matching(namespace: string, selector: Labels): StoredObject[] {
    const [rarest] = Object.entries(selector)
      .map(([label, value]) => this.keys.at(placeOf(namespace, label, value)))
      .sort((left, right) => left.size - right.size);
    return [...(rarest ?? [])].flatMap((key) => this.collection.get(key) ?? []).filter(({ labels }) => matches(selector, labels));
  }

  stop(): void {
    this.stopListening();
  }

  private follow({ type, object, previous }: Change): void {
    for (const [label, value] of Object.entries(previous?.labels ?? {}))
      this.keys.delete(placeOf(object.namespace, label, value), object.key);
    if (type === 'DELETED') return;
    for (const [label, value] of Object.entries(object.labels)) this.keys.add(placeOf(object.namespace, label, value), object.key);
  }
}

/** Finds whose selector takes an object with given labels, without trying them all. */
export class SelectorIndex {
  private readonly keys = new KeySets();
  private readonly selectors = new Map<string, { readonly selector: Labels; readonly place: string }>();

  set(namespace: string, key: string, selector: Labels): void {
    this.delete(key);
    // One label of the selector is enough to find it by: the one that the fewest others are found by.
    const [place] = Object.entries(selector)
      .map(([label, value]) => placeOf(namespace, label, value))
      .sort((left, right) => this.keys.at(left).size - this.keys.at(right).size);
    if (place === undefined) return;
    this.selectors.set(key, { selector, place });
    this.keys.add(place, key);
  }

  delete(key: string): void {
    const known = this.selectors.get(key);
    if (!known) return;
    this.keys.delete(known.place, key);
    this.selectors.delete(key);
  }

  matching(namespace: string, labels: Labels): string[] {
    return Object.entries(labels)
      .flatMap(([label, value]) => [...this.keys.at(placeOf(namespace, label, value))])
      .filter((key) => matches(this.selectors.get(key)?.selector ?? {}, labels));
  }
}
