import { type JsonObject, type StoredObject, asArray, asObject, asString } from '../store';

export const isTerminating = ({ metadata }: StoredObject): boolean => metadata.deletionTimestamp !== undefined;

/** Pods that ran to their end: nothing of them comes back. */
export function hasEnded({ object }: StoredObject): boolean {
  const phase = asString(asObject(object.status).phase);
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Pods that count as replicas. */
export const isActive = (pod: StoredObject): boolean => !hasEnded(pod) && !isTerminating(pod);

export function conditionOf({ object }: StoredObject, type: string): JsonObject | undefined {
  return asArray(asObject(object.status).conditions)
    .map(asObject)
    .find((condition) => condition.type === type);
}

export const isReady = (pod: StoredObject): boolean => conditionOf(pod, 'Ready')?.status === 'True';

/** How long until a ready pod counts as available: 0 when it does, undefined while it is not ready. */
export function msUntilAvailable(pod: StoredObject, minReadySeconds: number, nowMs: number): number | undefined {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  return Math.max(0, Date.parse(asString(ready.lastTransitionTime)) + minReadySeconds * 1000 - nowMs);
}
