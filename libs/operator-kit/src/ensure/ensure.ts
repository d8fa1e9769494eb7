import type { Frozen } from '../cache';
import type { KubeObject, KubeWriter, ResourceLike } from '../client';
import { covers } from './covers';

export interface EnsureOptions {
  fieldManager: string;
  /** What the cache has; absent when it has none. */
  live: Frozen<KubeObject> | undefined;
  signal?: AbortSignal;
}

export type EnsureOutcome = 'applied' | 'unchanged';

/**
 * Makes the cluster agree with `desired` by server-side apply, and writes nothing when the cached object already says all of it.
 *
 * Fields of others stay theirs; fields both want become ours. A field that `desired` stops mentioning leaves the object with the
 * next write, not by itself: keep the shape of `desired` stable, or write it with an explicit empty value.
 */
export async function ensure<T extends KubeObject>(
  client: KubeWriter,
  resource: ResourceLike<T>,
  desired: T,
  { live, fieldManager, signal }: EnsureOptions,
): Promise<EnsureOutcome> {
  if (live && covers(live, desired)) return 'unchanged';
  await client.apply(resource, desired, { fieldManager, force: true, signal, answer: 'unread' });
  return 'applied';
}
