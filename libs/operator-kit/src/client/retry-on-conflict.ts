import type { KubeWriter, KubeReader } from './kube-access';
import { AlreadyExistsError, ConflictError } from './kube.errors';
import type { KubeObject, ObjectRef } from './kube-object';
import type { RequestOptions } from './requests';
import type { ResourceLike } from './resource-definition';

const maxRetries = 5;

/**
 * Reads, changes and writes until no one else was quicker, at most 5 times over.
 *
 * `change` gets fresh state each time and must depend on nothing else; returning undefined means that nothing is to be written.
 * Reading must ask the API server: a cache still has the state that just lost.
 *
 * @throws ConflictError the last one, when others are always quicker
 */
export async function retryOnConflict<T>(
  read: () => Promise<T>,
  change: (fresh: T) => T | undefined,
  write: (changed: T) => Promise<T>,
): Promise<T> {
  for (let retries = 0; ; retries++) {
    const fresh = await read();
    const changed = change(fresh);
    if (changed === undefined) return fresh;
    try {
      return await write(changed);
    } catch (error) {
      if (!isLostRace(error) || retries === maxRetries) throw error;
    }
  }
}

/** `retryOnConflict` for one object under its name. `change` gets a copy of its own and may edit it. */
export function updateOnConflict<T extends KubeObject>(
  client: KubeReader & KubeWriter,
  resource: ResourceLike<T>,
  ref: ObjectRef,
  change: (fresh: T) => T | undefined,
  options?: RequestOptions,
): Promise<T> {
  return retryOnConflict(
    () => client.get(resource, ref, options),
    change,
    (changed) => client.replace(resource, changed, options),
  );
}

/** A name that is taken stays taken: reading again does not help. */
function isLostRace(error: unknown): boolean {
  return error instanceof ConflictError && !(error instanceof AlreadyExistsError);
}
