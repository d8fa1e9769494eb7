import type { CacheEvent, Frozen } from '../cache';
import type { KubeObject } from '../client';

/** Whether an event is worth a reconcile. */
export type Predicate<T extends KubeObject> = (event: CacheEvent<T>) => boolean;

/** The same shape as `metav1.LabelSelector`. */
export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: readonly string[] }[];
}

type Differs = (before: Frozen<KubeObject>, after: Frozen<KubeObject>) => boolean;

/**
 * Turns a question about two states into a predicate. What is not an update of one and the same object passes: creates, deletes,
 * one object in the place of another, and replays, which ask for a look at everything.
 */
const whenUpdated =
  (differs: Differs): Predicate<KubeObject> =>
  (event) =>
    event.type !== 'updated' ||
    event.resync ||
    event.before.metadata.uid !== event.object.metadata.uid ||
    differs(event.before, event.object);

/** Drops updates of the status, also those that would heal a `patchStatus` against an old cache, and of metadata. The start of a deletion passes for kinds without a generation, too. */
export const generationChanged: Predicate<KubeObject> = whenUpdated(
  (before, after) =>
    before.metadata.generation !== after.metadata.generation || before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp,
);

export const labelsChanged: Predicate<KubeObject> = whenUpdated((before, after) => !sameMap(before.metadata.labels, after.metadata.labels));

export const annotationsChanged: Predicate<KubeObject> = whenUpdated(
  (before, after) => !sameMap(before.metadata.annotations, after.metadata.annotations),
);

/** An update passes when either state matches, so that leaving the selection is noticed. */
export function matchingLabels(selector: LabelSelector): Predicate<KubeObject> {
  return (event) => isSelected(selector, event.object) || (event.type === 'updated' && isSelected(selector, event.before));
}

export function and<T extends KubeObject>(...predicates: Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

export function or<T extends KubeObject>(...predicates: Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

function isSelected({ matchLabels = {}, matchExpressions = [] }: LabelSelector, object: Frozen<KubeObject>): boolean {
  const labels: Readonly<Record<string, string | undefined>> = object.metadata.labels ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
      }
    })
  );
}

function sameMap(a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>> = {}): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
