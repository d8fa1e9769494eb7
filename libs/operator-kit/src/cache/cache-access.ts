import type { KubeObject, ResourceLike } from '../client';
import type { CacheEvent, Frozen, Lister } from './lister';

export interface CacheScope {
  /** Absent: all namespaces. */
  namespace?: string;
  /** Several namespaces seen as one cache, each with a watch of its own. Not together with `namespace`. */
  namespaces?: readonly string[];
  labelSelector?: string;
  fieldSelector?: string;
}

export interface CacheOptions<T extends KubeObject> extends CacheScope {
  /** Named index functions: the values an object is filed under. */
  indexes?: Record<string, (object: Frozen<T>) => readonly string[]>;
  /** Runs before an object is stored, on lists and watches alike; by default managedFields are stripped. */
  transform?: (object: T) => T;
}

export interface SubscribeOptions {
  /** Replay everything cached to this handler this often, as updates with `resync`; no API call is made. Off by default. */
  resyncPeriodMs?: number;
}

export interface Subscription {
  /** True once the first list is complete and everything that was cached when the handler joined has been delivered to it. */
  readonly hasSynced: boolean;
  /** Resolves when `hasSynced` turns true; rejects with the signal's reason, or with a SubscriptionClosedError or CacheStoppedError when it ends before. */
  synced(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** One kind in one scope, kept current by a watch that all its users share. */
export interface ResourceCache<T extends KubeObject> extends Lister<T> {
  readonly hasSynced: boolean;
  /** Resolves after the first full list; rejects with the signal's reason. */
  synced(signal: AbortSignal): Promise<void>;
  /**
   * The handler runs one event at a time; its failures and slowness touch nobody else.
   * One that falls far behind is told the sum of the changes of an object instead of each, the last state and deletions always.
   */
  subscribe(handler: (event: CacheEvent<T>) => void | Promise<void>, options?: SubscribeOptions): Subscription;
  /** This user needs it no longer; the last one to leave stops the watch. */
  release(): void;
}

/** Where shared caches come from: one watch per kind and scope however many users ask. */
export interface CacheProvider {
  acquire<T extends KubeObject>(resource: ResourceLike<T>, options?: CacheOptions<T>): ResourceCache<T>;
}
