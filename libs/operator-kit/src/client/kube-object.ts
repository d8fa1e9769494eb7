export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** Metadata as it travels: times are RFC 3339 strings. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any Kubernetes object, as the JSON the API server sends. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export interface KubeList<T> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** The name of one object within its kind; cluster-scoped objects have no namespace. */
export interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
}

export function refOf(object: { readonly kind: string; readonly metadata: Readonly<Pick<ObjectMeta, 'namespace' | 'name'>> }): ObjectRef {
  const { namespace, name } = object.metadata;
  if (!name) throw new TypeError(`a ${object.kind} without metadata.name has no reference: give it a name, or create it first`);
  return namespace ? { namespace, name } : { name };
}

/** `namespace/name`, or just the name: for messages and as a map key. No name contains a slash. */
export function formatRef(ref: ObjectRef): string {
  return ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
}
