import type { Frozen } from '../cache';
import { ConflictError, InvalidError, NotFoundError, refOf } from '../client';
import type { KubeObject, KubeReader, KubeWriter, ResourceLike } from '../client';

/**
 * - `continue`: the object lives and carries our finalizer; `object` is its newest state.
 * - `cleanup pending`: deletion was asked for and our finalizer still holds the object.
 * - `deleted and cleaned`: cleanup succeeded and our finalizer is off.
 * - `not ours`: the object is on its way out, or gone, without our finalizer: nothing to clean.
 */
export type FinalizerOutcome = FinalizerStep<KubeObject>['outcome'];

export type FinalizerStep<T extends KubeObject> =
  | { outcome: 'continue'; object: Frozen<T> }
  | { outcome: 'cleanup pending' }
  | { outcome: 'deleted and cleaned' }
  | { outcome: 'not ours' };

export type CleanupOutcome = 'cleaned' | 'pending';

/**
 * Holds objects of one kind until what was made for them is cleaned up.
 *
 * The finalizer is on before `continue` is returned, so no effect is ever without its cleanup, and comes off only after the
 * cleanup said `cleaned`. Finalizers of others are never touched, also when they change at the same moment.
 * Assumes that calls for one object never overlap.
 */
export class Finalizer<T extends KubeObject> {
  constructor(
    private readonly client: Pick<KubeReader, 'find'> & Pick<KubeWriter, 'patch'>,
    private readonly resource: ResourceLike<T>,
    readonly name: string,
  ) {}

  /** What `cleanUp` throws is passed on, and the finalizer stays. */
  async step(object: Frozen<T>, cleanUp: () => Promise<CleanupOutcome>, signal: AbortSignal): Promise<FinalizerStep<T>> {
    const held = this.isOn(object);
    if (!object.metadata.deletionTimestamp) return held ? { outcome: 'continue', object } : this.add(object, signal);
    if (!held) return { outcome: 'not ours' };

    const cleanup = await cleanUp();
    return cleanup === 'cleaned' ? this.remove(object, signal) : { outcome: 'cleanup pending' };
  }

  private isOn(object: Frozen<KubeObject>): boolean {
    return object.metadata.finalizers?.includes(this.name) ?? false;
  }

  private async add(object: Frozen<T>, signal: AbortSignal): Promise<FinalizerStep<T>> {
    const { finalizers = [], resourceVersion } = object.metadata;
    // The whole list is written, so the version must be the one it was read from: otherwise a finalizer added meanwhile would be lost.
    const body = { metadata: { resourceVersion, finalizers: [...finalizers, this.name] } };
    try {
      const written = await this.client.patch(this.resource, refOf(object), { type: 'merge', body }, { signal });
      return { outcome: 'continue', object: written as Frozen<T> };
    } catch (error) {
      if (error instanceof NotFoundError) return { outcome: 'not ours' };
      throw error;
    }
  }

  private async remove(object: Frozen<T>, signal: AbortSignal): Promise<FinalizerStep<T>> {
    const { uid, finalizers = [] } = object.metadata;
    const operations = [
      { op: 'test' as const, path: '/metadata/uid', value: uid },
      { op: 'test' as const, path: '/metadata/finalizers', value: finalizers },
      { op: 'remove' as const, path: `/metadata/finalizers/${finalizers.indexOf(this.name)}` },
    ];
    try {
      await this.client.patch(this.resource, refOf(object), { type: 'json', operations }, { signal });
      return { outcome: 'deleted and cleaned' };
    } catch (error) {
      if (error instanceof NotFoundError) return { outcome: 'deleted and cleaned' };
      // The API server answers a failed `test` with 422, as it does any patch it cannot apply.
      if (error instanceof ConflictError || error instanceof InvalidError) return this.afterRefusal(object, error, signal);
      throw error;
    }
  }

  private async afterRefusal(object: Frozen<T>, refusal: Error, signal: AbortSignal): Promise<FinalizerStep<T>> {
    const current = await this.client.find(this.resource, refOf(object), { signal });
    if (!current || current.metadata.uid !== object.metadata.uid || !this.isOn(current)) {
      return { outcome: 'deleted and cleaned' };
    }
    if (sameList(current.metadata.finalizers, object.metadata.finalizers)) throw refusal;
    return { outcome: 'cleanup pending' };
  }
}

function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((value, position) => value === b[position]);
}
