import type { KubeList, KubeObject, ObjectRef } from './kube-object';
import type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  Patch,
  PatchOptions,
  RequestOptions,
  Scale,
  ScopeOptions,
  Unread,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './requests';
import type { ResourceLike } from './resource-definition';

/**
 * What the rooms of the kit read through.
 *
 * Objects are the raw JSON of the API server. Every failure is a KubeApiError (it answered) or a TransportError (it did not);
 * an aborted signal rejects with the signal's reason.
 */
export interface KubeReader {
  /** @throws NotFoundError */
  get<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: RequestOptions): Promise<T>;
  /** As `get`, but undefined for an object that is not there. */
  find<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: RequestOptions): Promise<T | undefined>;
  /** One page; items carry apiVersion and kind, which the server leaves out of lists. */
  list<T extends KubeObject>(resource: ResourceLike<T>, options?: ListOptions): Promise<KubeList<T>>;
  /** Every page, items only. */
  listAll<T extends KubeObject>(resource: ResourceLike<T>, options?: ScopeOptions & { pageSize?: number }): AsyncIterable<T>;
  /**
   * One watch stream. Ends when the server closes it; throws the typed error of an ERROR event, or a TransportError when the stream breaks.
   * Leaving the loop closes the connection.
   */
  watch<T extends KubeObject>(resource: ResourceLike<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  getScale(resource: ResourceLike, ref: ObjectRef, options?: RequestOptions): Promise<Scale>;
}

export interface KubeWriter {
  create<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Writes what was read: metadata.resourceVersion guards it. @throws ConflictError */
  replace<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: WriteOptions): Promise<T>;
  replaceStatus<T extends KubeObject>(resource: ResourceLike<T>, object: T, options?: WriteOptions): Promise<T>;
  /** Server-side apply: only the fields in `object` are ours. */
  apply<T extends KubeObject>(resource: ResourceLike<T>, object: T, options: ApplyOptions & Unread): Promise<unknown>;
  apply<T extends KubeObject>(resource: ResourceLike<T>, object: T, options: ApplyOptions): Promise<T>;
  patch<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, patch: Patch, options: PatchOptions & Unread): Promise<unknown>;
  patch<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, patch: Patch, options?: PatchOptions): Promise<T>;
  /** What the server answered: the object while finalizers hold it, else undefined. @throws NotFoundError */
  delete<T extends KubeObject>(resource: ResourceLike<T>, ref: ObjectRef, options?: DeleteOptions): Promise<T | undefined>;
  deleteAll(resource: ResourceLike, options: ScopeOptions & DeleteOptions): Promise<void>;
  replaceScale(resource: ResourceLike, ref: ObjectRef, scale: Scale, options: WriteOptions & Unread): Promise<unknown>;
  replaceScale(resource: ResourceLike, ref: ObjectRef, scale: Scale, options?: WriteOptions): Promise<Scale>;
}
