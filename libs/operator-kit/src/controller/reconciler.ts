import type { KubeObject, KubeReader, KubeWriter } from '../client';
import type { Frozen, Lister } from '../cache';
import type { ResourceLike } from '../client';
import type { Logger } from '../logging';
import type { ObjectEvents } from '../events';

export type ReconcileResult =
  { kind: 'done' } | { kind: 'requeue'; reason: string } | { kind: 'requeueAfter'; delayMs: number; reason: string };

export const done: ReconcileResult = { kind: 'done' };
/** Again, with backoff, though nothing failed. */
export const requeue = (reason: string): ReconcileResult => ({ kind: 'requeue', reason });
/**
 * Again after the delay, with the priority it has now; its backoff starts over.
 * A delay of 0 or less, often the difference of two times, is a `requeue`: with backoff, so that an object that is overdue for ever costs little.
 */
export const requeueAfter = (delayMs: number, reason: string): ReconcileResult => ({ kind: 'requeueAfter', delayMs, reason });

export interface ReconcileContext {
  readonly client: KubeReader & KubeWriter;
  /** The shared cache of a kind that the controller is for, owns or watches. @throws for any other kind. */
  cache<T extends KubeObject>(resource: ResourceLike<T>): Lister<T>;
  /** Events about the object being reconciled. */
  readonly events: ObjectEvents;
  /** Carries the controller's name and the object's reference. */
  readonly logger: Logger;
  /** Fires at the reconcile timeout, at shutdown and when the lead is lost. */
  readonly signal: AbortSignal;
}

/**
 * Brings the world towards what one object asks for.
 *
 * Called with the cached state, never concurrently for one object. It must be safe to repeat: it runs again after every
 * change, every failure and every restart. Throwing means backoff; `WaitingError` means again later, `TerminalError` not until the object changes.
 */
export interface Reconciler<T extends KubeObject> {
  /** Not called for an object that is being deleted: it would make anew what the garbage collector takes away. */
  reconcile(resource: Frozen<T>, context: ReconcileContext): Promise<ReconcileResult>;
  /**
   * Called instead of `reconcile` once deletion is asked for; when present, the kit keeps a finalizer on the object
   * and takes it off only after this returned `done`.
   */
  finalize?(resource: Frozen<T>, context: ReconcileContext): Promise<ReconcileResult>;
}
