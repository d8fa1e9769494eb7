import { get, objectAt, textAt } from '../../json';
import type { JsonObject } from '../../json';
import { decodeBuiltin } from '../decoding';
import { each, existing, fill, inner } from './fill';
import type { Fill } from './fill';
import { fillEndpointSlice, fillEndpoints, fillIngress, fillNetworkPolicy, fillService, fillWebhooks } from './networking';
import { fillPod } from './pods';
import {
  fillAutoscaler,
  fillClaim,
  fillCronJob,
  fillDaemonSet,
  fillDeployment,
  fillJob,
  fillReplicaSet,
  fillStatefulSet,
} from './workloads';

const RBAC = 'rbac.authorization.k8s.io';

const fills: ReadonlyMap<string, Fill> = new Map<string, Fill>([
  ['v1/Pod', fillPod],
  ['v1/Service', fillService],
  ['v1/Endpoints', fillEndpoints],
  ['v1/Namespace', fillNamespace],
  ['v1/Secret', fillSecret],
  ['v1/PersistentVolumeClaim', fillClaim],
  ['v1/PersistentVolume', fillVolume],
  ['apps/v1/Deployment', fillDeployment],
  ['apps/v1/ReplicaSet', fillReplicaSet],
  ['apps/v1/StatefulSet', fillStatefulSet],
  ['apps/v1/DaemonSet', fillDaemonSet],
  ['batch/v1/Job', fillJob],
  ['batch/v1/CronJob', fillCronJob],
  ['autoscaling/v1/HorizontalPodAutoscaler', fillAutoscaler],
  ['autoscaling/v2/HorizontalPodAutoscaler', fillAutoscaler],
  ['discovery.k8s.io/v1/EndpointSlice', fillEndpointSlice],
  ['networking.k8s.io/v1/Ingress', fillIngress],
  ['networking.k8s.io/v1/NetworkPolicy', fillNetworkPolicy],
  ['policy/v1/PodDisruptionBudget', fillDisruptionBudget],
  [`${RBAC}/v1/RoleBinding`, fillBinding],
  [`${RBAC}/v1/ClusterRoleBinding`, fillBinding],
  ['admissionregistration.k8s.io/v1/MutatingWebhookConfiguration', fillWebhooks],
  ['admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration', fillWebhooks],
  ['scheduling.k8s.io/v1/PriorityClass', (priorityClass) => fill(priorityClass, { preemptionPolicy: 'PreemptLowerPriority' })],
  ['storage.k8s.io/v1/StorageClass', (storageClass) => fill(storageClass, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' })],
  ['apiextensions.k8s.io/v1/CustomResourceDefinition', fillDefinition],
]);

/**
 * A built-in object as the API server would store it: decoded (nulls and unknown fields gone, quantities as text) and with its defaults. What
 * controllers and allocators add later (cluster IPs, node ports, service account tokens) is not here. Doing it twice changes nothing.
 */
export function defaultBuiltin(object: JsonObject): JsonObject {
  // Decoding has made a copy of everything that is filled in below.
  const filled = decodeBuiltin(object).object;
  fills.get(`${textAt(object, 'apiVersion')}/${textAt(object, 'kind')}`)?.(filled);
  return filled;
}

function fillNamespace(namespace: JsonObject): void {
  const name = textAt(namespace, 'metadata', 'name');
  if (name !== '') inner(inner(namespace, 'metadata'), 'labels')['kubernetes.io/metadata.name'] = name;
  fill(inner(namespace, 'spec'), { finalizers: ['kubernetes'] });
  fill(inner(namespace, 'status'), { phase: 'Active' });
}

function fillSecret(secret: JsonObject): void {
  const texts = objectAt(secret, 'stringData');
  if (texts !== undefined) {
    const encoded = Object.entries(texts).map(([key, text]) => [key, Buffer.from(typeof text === 'string' ? text : '').toString('base64')]);
    Object.assign(inner(secret, 'data'), Object.fromEntries(encoded));
    Reflect.deleteProperty(secret, 'stringData');
  }
  fill(secret, { type: 'Opaque' });
}

function fillVolume(volume: JsonObject): void {
  fill(inner(volume, 'spec'), { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
  fill(inner(volume, 'status'), { phase: 'Pending' });
}

function fillDisruptionBudget(budget: JsonObject): void {
  fill(inner(budget, 'status'), { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 });
}

function fillBinding(binding: JsonObject): void {
  existing(binding, 'roleRef', (role) => fill(role, { apiGroup: RBAC }));
  each(binding, 'subjects', (subject) => {
    if (get(subject, 'kind') !== 'ServiceAccount') fill(subject, { apiGroup: RBAC });
  });
}

function fillDefinition(definition: JsonObject): void {
  const spec = inner(definition, 'spec');
  existing(spec, 'names', (names) => {
    const kind = textAt(names, 'kind');
    if (kind !== '') fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  });
  fill(spec, { conversion: { strategy: 'None' } });
}
