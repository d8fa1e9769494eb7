import { formatRef } from '../client';
import type { KubeObject, ObjectMeta } from '../client';
import type { Frozen } from './lister';

/** TypeScript cannot look inside Frozen<T> while T is open; every object has metadata all the same. */
export function metadataOf<T extends KubeObject>(object: Frozen<T>): Frozen<ObjectMeta> {
  return (object as unknown as Frozen<KubeObject>).metadata;
}

/** `namespace/name`, as formatRef writes it. */
export function keyOf<T extends KubeObject>(object: Frozen<T>): string {
  const { namespace, name } = metadataOf(object);
  if (!name) throw new TypeError('the API server sent an object without metadata.name, which cannot be cached');
  return formatRef({ namespace, name });
}

export function sameVersion<T extends KubeObject>(a: Frozen<T>, b: Frozen<T>): boolean {
  const [left, right] = [metadataOf(a), metadataOf(b)];
  return left.resourceVersion !== undefined && left.resourceVersion === right.resourceVersion && left.uid === right.uid;
}
