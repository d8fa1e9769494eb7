import type { ElastiService } from '@elasti/api';
import { type CacheEvent, type Frozen, isConditionTrue } from '@elasti/operator-kit';

/**
 * Whether an event of an ElastiService needs a reconcile.
 *
 * What the reconciler itself wrote into the status does not: it knows that already. A stamp of another replica does, since it may call off a sleep, but not for a service
 * that is asleep: its wake shows in the target.
 */
export function saysSomethingNew(event: CacheEvent<ElastiService>): boolean {
  if (event.type !== 'updated' || event.resync) return true;
  const { before, object } = event;
  if (metadataOf(before) !== metadataOf(object)) return true;
  if (JSON.stringify(before.status?.dryRun) !== JSON.stringify(object.status?.dryRun)) return true;
  const isStamped = before.status?.lastScaledUpTime !== object.status?.lastScaledUpTime;
  return isStamped && !isConditionTrue(object.status?.conditions, 'ScaledDown');
}

function metadataOf({ metadata }: Frozen<ElastiService>): string {
  const { uid, generation, deletionTimestamp, finalizers, labels } = metadata;
  return JSON.stringify([uid, generation, deletionTimestamp, finalizers, labels]);
}
