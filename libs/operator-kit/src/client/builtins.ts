import type * as k8s from '@kubernetes/client-node';
import type { KubeObject, ObjectMeta } from './kube-object';
import type { ResourceDefinition } from './resource-definition';

/** A client-node model as it looks on the wire: times are strings, and the type and metadata are always there. */
export type Wire<T> = Omit<Json<T>, 'apiVersion' | 'kind' | 'metadata'> & { apiVersion: string; kind: string; metadata: ObjectMeta };

type Json<T> = T extends Date ? string : T extends (infer E)[] ? Json<E>[] : T extends object ? { [P in keyof T]: Json<T[P]> } : T;

export type ConfigMap = Wire<k8s.V1ConfigMap>;
export type CustomResourceDefinition = Wire<k8s.V1CustomResourceDefinition>;
export type Deployment = Wire<k8s.V1Deployment>;
export type EndpointSlice = Wire<k8s.V1EndpointSlice>;
export type Event = Wire<k8s.EventsV1Event>;
export type Lease = Wire<k8s.V1Lease>;
export type Namespace = Wire<k8s.V1Namespace>;
export type Node = Wire<k8s.V1Node>;
export type Pod = Wire<k8s.V1Pod>;
export type ReplicaSet = Wire<k8s.V1ReplicaSet>;
export type Secret = Wire<k8s.V1Secret>;
export type Service = Wire<k8s.V1Service>;
export type ServiceAccount = Wire<k8s.V1ServiceAccount>;
export type StatefulSet = Wire<k8s.V1StatefulSet>;

function builtin<T extends KubeObject>(
  apiVersion: string,
  kind: string,
  plural: string,
  scope: 'Namespaced' | 'Cluster' = 'Namespaced',
): ResourceDefinition<T> {
  const [version, group] = apiVersion.split('/').reverse();
  return Object.freeze({ group: group ?? '', version: version ?? '', kind, plural, namespaced: scope === 'Namespaced' });
}

export const ConfigMap = builtin<ConfigMap>('v1', 'ConfigMap', 'configmaps');
export const CustomResourceDefinition = builtin<CustomResourceDefinition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
  'customresourcedefinitions',
  'Cluster',
);
export const Deployment = builtin<Deployment>('apps/v1', 'Deployment', 'deployments');
export const EndpointSlice = builtin<EndpointSlice>('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices');
export const Event = builtin<Event>('events.k8s.io/v1', 'Event', 'events');
export const Lease = builtin<Lease>('coordination.k8s.io/v1', 'Lease', 'leases');
export const Namespace = builtin<Namespace>('v1', 'Namespace', 'namespaces', 'Cluster');
export const Node = builtin<Node>('v1', 'Node', 'nodes', 'Cluster');
export const Pod = builtin<Pod>('v1', 'Pod', 'pods');
export const ReplicaSet = builtin<ReplicaSet>('apps/v1', 'ReplicaSet', 'replicasets');
export const Secret = builtin<Secret>('v1', 'Secret', 'secrets');
export const Service = builtin<Service>('v1', 'Service', 'services');
export const ServiceAccount = builtin<ServiceAccount>('v1', 'ServiceAccount', 'serviceaccounts');
export const StatefulSet = builtin<StatefulSet>('apps/v1', 'StatefulSet', 'statefulsets');
